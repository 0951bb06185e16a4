// Runs inside the worker, as text: a worker cannot load TypeScript, and this way sources and build are the same.

/** Every network access of a Node program ends in one of these. */
export const withoutNetwork = `
const refuse = () => { throw new Error('the local embedder has no network') }
require('node:net').Socket.prototype.connect = refuse
require('node:dgram').Socket.prototype.send = refuse
require('node:dns').lookup = refuse
`

export const localWorkerSource = `
${withoutNetwork}
const { parentPort, workerData } = require('node:worker_threads')
let model
parentPort.on('message', async ({ id, texts }) => {
  try {
    const { initModel } = require(workerData.embeddings)
    const { modelSource } = require(workerData.weights)
    model ??= initModel(modelSource)
    const vectors = (await (await model).embed(texts)).map((vector) => new Float32Array(vector))
    parentPort.postMessage({ id, vectors })
  } catch (error) {
    model = undefined
    parentPort.postMessage({ id, error: error instanceof Error ? error.message : String(error) })
  }
})
`
