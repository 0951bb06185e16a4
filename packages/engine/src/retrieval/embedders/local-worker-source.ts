// Runs inside the thread, as text: a thread cannot load TypeScript, and this way sources and build are the same.
export const localWorkerSource = `
const { parentPort, workerData } = require('node:worker_threads')
// Whatever the libraries would fetch, they have to find here.
globalThis.fetch = () => Promise.reject(new Error('the local embedder has no network'))
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
