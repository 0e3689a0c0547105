// A small graph, drawn from left to right: what ties the two sides of a pair.

const NODE_HEIGHT = 28, NODE_GAP = 14, LETTER = 7.2, EDGE_ROOM = 44, MOST_LETTERS = 30;

// The column of every node: one more than that of what leads to it; cycles are cut.
function layers(count, edges) {
  const depth = new Array(count).fill(0);
  for (let round = 0; round < count; round++) {
    let moved = false;
    for (const [from, , to] of edges) {
      if (from !== to && depth[to] < depth[from] + 1 && depth[from] + 1 < Math.min(count, 6) && !edges.some(edge => edge[0] === to && edge[2] === from && depth[from] > depth[to])) {
        depth[to] = depth[from] + 1;
        moved = true;
      }
    }
    if (!moved) break;
  }
  return depth;
}

const shorten = text => text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS - 1)}…` : text;
const swatch = text => /^[a-z]+$/.test(text) && CSS.supports('color', text);

function drawGraph(nodes, edges) {
  const depth = layers(nodes.length, edges), columns = [];
  nodes.forEach((node, i) => (columns[depth[i]] ??= []).push(i));
  const filled = columns.filter(Boolean), place = [];
  let left = 1;
  const tall = Math.max(...filled.map(column => column.length)) * (NODE_HEIGHT + NODE_GAP);
  filled.forEach((column, at) => {
    const width = Math.max(...column.map(i => shorten(nodes[i][0]).length * LETTER + 26 + (swatch(nodes[i][0]) ? 18 : 0)));
    const step = tall / column.length;
    column.forEach((i, row) => { place[i] = { x: left, y: step * (row + .5), width }; });
    const next = new Set(filled[at + 1]);
    const labels = edges.filter(([from, , to]) => next.has(to) || next.has(from)).map(edge => shorten(edge[1]).length);
    left += width + (at < filled.length - 1 ? Math.max(0, ...labels) * 6.2 + EDGE_ROOM : 1);
  });
  const names = nodes.map(node => node[0]);
  const label = edges.map(([from, relation, to]) => `${names[from]} ${relation} ${names[to]}`).join('; ');
  return s('svg', { class: 'graph', viewBox: `0 0 ${left} ${tall}`, width: left, height: tall, role: 'img', 'aria-label': label },
    edges.map(edge => drawEdge(place, edge)), nodes.map((node, i) => drawNode(node, place[i])));
}

function drawEdge(place, [from, relation, to]) {
  const a = place[from], b = place[to], forward = b.x >= a.x + a.width;
  const x1 = forward ? a.x + a.width : a.x + a.width / 2, x2 = forward ? b.x - 2 : b.x + b.width / 2;
  const y1 = forward ? a.y : a.y + (b.y > a.y ? 14 : -14), y2 = forward ? b.y : b.y + (b.y > a.y ? -14 : 14);
  const bend = forward ? Math.min(24, (x2 - x1) / 4) : 0, end = x2 - (forward ? 6 : 0);
  const middle = forward ? (x1 + bend + end) / 2 : x1 + 6;
  return s('g', null,
    s('path', { class: 'edge', d: forward ? `M${x1} ${y1}C${x1 + bend} ${y1} ${x1} ${y2} ${x1 + bend} ${y2}H${end}` : `M${x1} ${y1}L${x2} ${y2}` }),
    forward ? s('path', { class: 'tip', d: `M${x2} ${y2}l-7 -3.5v7z` }) : s('circle', { class: 'tip', cx: x2, cy: y2, r: 2.5 }),
    s('text', { class: 'relation', x: middle, y: (forward ? y2 : (y1 + y2) / 2) - 5, 'text-anchor': forward ? 'middle' : 'start' }, shorten(relation)));
}

function drawNode([text, side], { x, y, width }) {
  const color = swatch(text);
  const inside = color ? s('circle', { class: 'swatch', cx: x + 17, cy: y, r: 6, fill: text }) : null;
  return s('g', { class: `node ${{ o: 'original', p: 'perturbed' }[side] ?? ''}` }, s('title', null, text),
    s('rect', { x, y: y - NODE_HEIGHT / 2, width, height: NODE_HEIGHT, rx: NODE_HEIGHT / 2 }), inside,
    s('text', { x: x + 13 + (color ? 16 : 0), y: y + 4.5 }, shorten(text)));
}
