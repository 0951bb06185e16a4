// Another process that ingests the same documents. It uses the build, because Node 20 cannot run the sources. It prints
// its report, or that it has paused in the middle of a file, where its parent kills it.
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { ingest } from '../../../dist/retrieval/ingest.js'
import { createSqlPassages } from '../../../dist/retrieval/sql/create-sql-passages.js'

const [, , project = '', file = '', standsStillAt = ''] = process.argv

const print = (/** @type {unknown} */ fact) => writeSync(1, `${JSON.stringify(fact)}\n`)
const store = createSqlPassages(file, { now: () => new Date() })
/** @type {import('../ingest.ts').IngestionPlan} */
const plan = {
  source: join(project, 'docs'),
  agentFile: join(project, 'agent.yaml'),
  dataDir: null,
  records: null,
  isContextual: true,
  chunking: {
    strategy: 'structure',
    maxTokens: 200,
    overlap: 0,
    maxSubsectionDepth: null,
    extractDefinitions: false,
    extractReferences: false,
  },
}
let batches = 0
const embedder = {
  name: 'of no meaning',
  /** @param {readonly string[]} texts */
  async embed(texts) {
    if (++batches === Number(standsStillAt)) {
      print('stands still')
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    }
    return texts.map(() => new Float32Array([1, 0]))
  },
}
const report = await ingest({ store, embedder }, plan, {
  force: false,
  signal: new AbortController().signal,
  onProgress: () => undefined,
})
print(report)
store.close()
