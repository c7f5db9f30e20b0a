'use strict';
// Shows what /events says and posts what a person changes.

const calm = matchMedia('(prefers-reduced-motion: reduce)');
const SLOTS = 8, MINUTE = 60, SAID_MS = 8000, CALM_MS = 2000, TOUCHED_MS = 1500;
let rates = [];
let quiet = 0, touched = 0, before = null, pictured = 0;

const size = bytes => bytes < 1048576 ? Math.round(bytes / 1024) + ' KiB' : (bytes / 1048576).toFixed(1) + ' MiB';

// What a person just touched is theirs; everything else follows the run, which another window may steer.
const mine = () => Date.now() - touched < TOUCHED_MS;

function showControls(state) {
  write('pause', state.paused ? 'Resume' : 'Pause');
  if (mine()) return;
  at('pace').value = state.pace_ms;
  showPace(state.pace_ms);
  for (const radio of document.getElementsByName('source')) radio.checked = radio.value === state.source;
  at('ranks').value = state.order.ranks;
}

function showPace(ms) {
  write('pace-shown', ms + ' ms a batch');
  at('pace').setAttribute('aria-valuetext', ms + ' milliseconds a batch');
}

function showFlow(state) {
  const { totals, order } = state;
  write('verdict', state.verdict);
  write('window', `${state.in_flight} loads in flight at most, set by: ${state.in_flight_by}`);
  at('failure').hidden = !state.last_failure;
  write('failure', state.last_failure ? 'last sample skipped: ' + state.last_failure : '');
  write('rate', number.format(Math.round(state.samples_per_second)));
  showHistory(state.samples_per_second);
  write('epoch', String(order.epoch));
  for (const id of ['samples', 'loads', 'skipped']) write(id, number.format(totals[id]));
  at('in-epoch').max = Math.max(1, state.size);
  at('in-epoch').value = order.offset;
}

/** The last minute; frames come when they can, so each has its time. */
function showHistory(rate) {
  const now = performance.now() / 1000;
  rates = rates.filter(each => now - each.time < MINUTE).concat({ time: now, rate });
  const top = roundedUp(Math.max(1, ...rates.map(each => each.rate)));
  at('history').lastElementChild.setAttribute('points',
    rates.map(each => `${MINUTE - now + each.time},${1 - each.rate / top}`).join(' '));
  at('history').setAttribute('aria-label', `samples a second in the last minute, on an axis from 0 to ${top}`);
  write('top', number.format(top));
}

/** To 1, 2 or 5 times a power of ten. */
function roundedUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * [1, 2, 5, 10].find(each => each * power >= value);
}

function showTiers(state) {
  const { tiers, recent } = state;
  const shares = tiers.map(tier => [tier.tier, recent.hits[tier.tier] || 0]).concat([['miss', recent.misses]]);
  const asked = shares.reduce((sum, share) => sum + share[1], 0);
  const percent = count => asked ? Math.round(100 * count / asked) + ' %' : '–';
  const bar = at('shares');
  shares.forEach(([name, count], i) => {
    const part = bar.children[i] || bar.appendChild(element('div', '', name));
    part.style.width = asked ? 100 * count / asked + '%' : '0';
  });
  bar.setAttribute('aria-label', asked
    ? shares.map(([name, count]) => `${name === 'miss' ? 'source' : name} ${percent(count)}`).join(', ')
    : 'no look-ups in the last two seconds');
  rows(at('tiers'), tiers.map((tier, i) => [
    tier.tier === 'ram' ? 'RAM' : tier.tier, percent(shares[i][1]), number.format(tier.hits),
    `${number.format(tier.samples)} in ${size(tier.bytes)} of ${size(tier.capacity)}`,
  ]).concat([['source (misses)', percent(recent.misses), number.format(state.totals.misses), '']]));
  [...at('tiers').rows].forEach((row, i) => { row.cells[0].className = 'swatch ' + shares[i][0]; });
}

/** What the sources' names do not share: the last folders of their paths. */
function shorter(names) {
  const paths = names.map(name => name.split('/'));
  const shared = paths[0].findIndex((part, i) => paths.some(path => i + 1 >= path.length || path[i] !== part));
  return paths.map(path => path.slice(shared).join('/'));
}

function showMixture(sources) {
  at('mixture').hidden = sources.length === 0;
  if (sources.length === 0) return;
  const percent = share => (100 * share).toFixed(1) + ' %';
  const names = shorter(sources.map(each => each.source));
  rows(at('sources'), sources.map((each, i) => [
    names[i], percent(each.weight), percent(each.share), number.format(each.samples),
    number.format(Math.round(each.samples_per_second)), each.passes.toFixed(2),
  ]));
}

function showPictures(pictures) {
  if (pictures.length === 0 || calm.matches && Date.now() - pictured < CALM_MS) return;
  pictured = Date.now();
  const slots = at('pictures');
  for (const picture of pictures) {
    const place = picture.number % SLOTS;
    while (slots.children.length <= place) slots.append(slot());
    const figure = slots.children[place];
    const [first, second] = figure.firstElementChild.children;
    draw(first, picture.before, `sample ${picture.index} before augmentation`);
    draw(second, picture.after, `sample ${picture.index} after augmentation`);
    figure.lastElementChild.textContent = `#${picture.index} · ${picture.name} · epoch ${picture.epoch}`;
    figure.hidden = false;
    for (const other of slots.children) other.classList.toggle('newest', other === figure);
  }
}

function shape(name, attributes) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** A picture, over it its mask and boxes; those that the dice dropped are dashed. */
function draw(place, scene, words) {
  const [image, over] = place.children;
  image.src = scene.picture;
  image.alt = `${words}, ${scene.boxes.length} boxes`;
  over.setAttribute('viewBox', `0 0 ${scene.width} ${scene.height}`);
  over.replaceChildren(...(scene.mask ? [shape('image', { href: scene.mask, width: scene.width, height: scene.height })] : []),
    ...scene.boxes.map(({ dropped, colour, x, y, width, height }) =>
      shape('rect', { x, y, width, height, stroke: colour, class: dropped ? 'dropped' : '' })));
}

function slot() {
  const figure = element('figure'), pair = element('div');
  figure.hidden = true;
  for (const alt of ['before', 'after']) {
    const image = element('img'), place = element('span');
    image.alt = alt;
    place.append(image, shape('svg', { 'aria-hidden': 'true' }));
    pair.append(place);
  }
  figure.append(pair, element('figcaption'));
  return figure;
}

function showTables(state) {
  rows(at('stages'), state.stages.map(stage => [
    stage.name, number.format(Math.round(stage.samples_per_second)), stage.ms.toFixed(2), stage.queue,
  ]));
  rows(at('order').tBodies[0], state.order.next.map((indices, rank) => ['rank ' + rank, ...indices]));
  rows(at('epochs'), state.epochs.slice().reverse().map(e => [
    e.epoch, e.samples, e.seconds.toFixed(2), number.format(Math.round(e.samples_per_second)),
    e.loads, e.hits.ram, e.hits.disk, e.misses, e.skipped,
  ]));
}

function show(state) {
  before = state;
  showControls(state);
  showFlow(state);
  showTiers(state);
  showMixture(state.sources);
  showPictures(state.pictures);
  showTables(state);
}

/** Says for some seconds what became of a change. */
function say(text) {
  clearTimeout(quiet);
  write('said', text);
  quiet = setTimeout(() => write('said', ''), SAID_MS);
}

async function change(control, value) {
  touched = Date.now();
  try {
    const answer = await fetch('control/' + control, {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ value }),
    });
    const text = await answer.text();
    say(answer.ok ? JSON.parse(text).said : 'not done: ' + text);
  } catch (e) {
    say('not done: the run cannot be reached');
  }
}

for (let i = 1; i <= 8; i++) at('ranks').append(new Option(i, i, i === 4, i === 4));
for (let i = 0; i < SLOTS; i++) at('pictures').append(slot());
at('pace').addEventListener('input', e => { touched = Date.now(); showPace(e.target.value); });
at('pace').addEventListener('change', e => change('pace', Number(e.target.value)));
for (const radio of document.getElementsByName('source'))
  radio.addEventListener('change', e => change('source', e.target.value));
at('pause').addEventListener('click', () => change('run', before && before.paused ? 'running' : 'paused'));
at('drop').addEventListener('click', () => change('cache', 'drop'));
at('ranks').addEventListener('change', e => change('ranks', Number(e.target.value)));

follow(show);
