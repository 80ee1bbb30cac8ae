// SPDX-License-Identifier: Apache-2.0
// model_explorer.mjs WORKER GRAPHS.json INSTRUCTIONS: gives each graph to the script that Model Explorer runs as a worker of the
// browser, and looks whether it finds every instruction, edge and layer.
import assert from 'node:assert';
import {readFileSync} from 'node:fs';
import vm from 'node:vm';

const [worker, file, instructions] = process.argv.slice(2);

// What a browser has and the worker uses.
class OffscreenCanvas {
  getContext() {
    return {measureText: text => ({width: 7 * text.length})};
  }
}
const listeners = [];
const posted = [];
const self = {addEventListener: (kind, listener) => listeners.push(listener)};
vm.runInContext(readFileSync(worker, 'utf8'),
                vm.createContext({OffscreenCanvas, self, console, postMessage: message => posted.push(message)}));

// The graph as the viewer has it after PROCESS_GRAPH_REQ.
function opened(graph) {
  posted.length = 0;
  for (const listener of listeners) {
    listener({
      data: {
        eventType: 0, graph, paneId: '', showOnNodeItemTypes: {}, nodeDataProviderRuns: {}, config: {},
        groupNodeChildrenCountThreshold: 1000, flattenLayers: false, keepLayersWithASingleChild: true, initialLayout: true,
      }
    });
  }
  assert.deepEqual(posted.filter(message => message.error), []);
  return posted.find(message => message.eventType === 1).modelGraph.nodes;
}
const isInstruction = node => node.nodeType === 0;
const edges = nodes => nodes.flatMap(node => node.incomingEdges ?? []).length;

const {graphs} = JSON.parse(readFileSync(file, 'utf8'));
const ids = new Set(graphs.map(graph => graph.id));
let count = 0;
for (const graph of graphs) {
  const nodes = opened(graph);
  const found = nodes.filter(isInstruction);
  assert.deepEqual(found.map(node => node.id).sort(), graph.nodes.map(node => node.id).sort());
  assert.equal(edges(found), edges(graph.nodes));
  const layers = new Set(graph.nodes.map(node => node.namespace).filter(layer => layer !== ''));
  assert.equal(nodes.some(node => !isInstruction(node)), layers.size > 0);
  for (const node of graph.nodes) assert(node.subgraphIds.every(id => ids.has(id)));
  count += found.length;
}
assert.equal(count, Number(instructions));
