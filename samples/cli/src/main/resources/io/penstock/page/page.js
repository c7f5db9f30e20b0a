'use strict';
// What all pages use. Names come from files and processes, so all text is set as text.

const at = id => document.getElementById(id);
const number = new Intl.NumberFormat('en');

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function write(id, text) {
  const node = at(id);
  if (node.textContent !== text) node.textContent = text;
}

/** A table's rows; cells that stay the same are left alone, so that what a person selected stays selected. */
function rows(body, table) {
  const heads = body.parentNode.tHead ? body.parentNode.tHead.rows[0].cells : [];
  while (body.rows.length > table.length) body.deleteRow(-1);
  table.forEach((cells, i) => {
    const row = body.rows[i] || body.insertRow();
    while (row.cells.length > cells.length) row.deleteCell(-1);
    cells.forEach((text, j) => {
      let cell = row.cells[j];
      if (!cell) {
        cell = row.appendChild(element(j === 0 ? 'th' : 'td'));
        if (j === 0) cell.scope = 'row';
        if (heads[j]) cell.dataset.head = heads[j].textContent; // shown where the columns do not fit side by side
      }
      if (cell.textContent !== String(text)) cell.textContent = text;
    });
  });
}

/** Shows what /events says, now and whenever it says more. */
function follow(show) {
  const events = new EventSource('events');
  events.onmessage = e => {
    write('connection', 'live');
    document.body.className = '';
    show(JSON.parse(e.data));
  };
  events.onerror = () => {
    write('connection', 'the run cannot be reached; trying again…');
    document.body.className = 'lost';
  };
}
