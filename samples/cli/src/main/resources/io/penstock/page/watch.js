'use strict';
// Shows all ranks of a job, and marks the one that holds the others up.

const percent = share => Math.round(100 * share) + ' %';
const tenths = figure => figure === undefined ? '–' : figure.toFixed(1);

function bar() {
  const row = element('div', undefined, 'wait'), track = element('div', undefined, 'track');
  track.append(element('div'));
  row.append(element('span'), track, element('span'));
  return row;
}

function showWaits(ranks, slowest) {
  const bars = at('waits');
  while (bars.children.length > ranks.length) bars.lastElementChild.remove();
  ranks.forEach((rank, i) => {
    const row = bars.children[i] || bars.appendChild(bar());
    const known = rank.waiting !== undefined;
    row.classList.toggle('slowest', rank.name === slowest);
    row.children[0].textContent = rank.name;
    row.children[1].firstElementChild.style.width = known ? 100 * rank.waiting + '%' : '0';
    row.children[2].textContent = known ? percent(rank.waiting) : '–';
  });
}

function show(state) {
  write('verdict', state.words);
  showWaits(state.ranks, state.slowest);
  rows(at('ranks'), state.ranks.map(rank => rank.batches === undefined
    ? [rank.name, rank.address, rank.failure || 'answers', '', '', '', '', '', '']
    : [rank.name, rank.address, number.format(rank.batches), tenths(rank.batches_per_second),
      tenths(rank.use_ms), tenths(rank.make_ms), tenths(rank.loads_per_second), rank.missing === undefined ? '–' : percent(rank.missing), number.format(rank.skipped)]));
}

follow(show);
