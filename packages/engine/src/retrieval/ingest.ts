// Ingests documents into the store incrementally: a file is embedded again only if its text has changed.
import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import { hasErrorCode, messageOf, sleep } from '@quarterdeck/protocol'
import { linkSignals } from '../async/link-signals.ts'
import { yieldToEventLoop } from '../async/yield-to-event-loop.ts'
import { type Chunking, chunkDocument } from './chunking/chunk-document.ts'
import type { Passage } from './chunking/passage.ts'
import type { Embedder } from './embedders/embedder.ts'
import type { NewPassage, PassageStore } from './passage-store.ts'
import { type FoundSources, findSources, type SourceFile } from './reading/find-sources.ts'
import { readBytes } from './reading/read-bytes.ts'
import { readDocument } from './reading/read-document.ts'
import type { RecordShape } from './reading/read-records.ts'
import { yieldPoint } from './reading/yield-point.ts'
import { hasWords } from './search/query-terms.ts'

export interface IngestionPlan {
  /** Absolute: a file, a folder or a pattern. */
  readonly source: string
  readonly agentFile: string
  /** Never read. */
  readonly dataDir: string | null
  readonly chunking: Chunking
  readonly records: RecordShape | null
  /** Whether passages are embedded with their headings. */
  readonly isContextual: boolean
}

export interface IngestionDeps {
  readonly store: PassageStore
  readonly embedder: Embedder | null
}

export interface IngestionProgress {
  readonly files: number
  readonly filesDone: number
  readonly passages: number
  /** Another process is ingesting. */
  readonly isWaiting: boolean
}

export interface IngestionReport {
  readonly files: number
  readonly passages: number
  /** Read, chunked and embedded. */
  readonly changed: number
  readonly removed: number
  readonly embedded: number
  readonly skipped: FoundSources['skipped']
}

export interface IngestionRun {
  /** Ingest everything again, changed or not. */
  readonly force: boolean
  readonly signal: AbortSignal
  readonly onProgress: (progress: IngestionProgress) => void
}

/** Changes if the same documents would yield different passages. */
const version = 1

/** Throws with a message. */
export async function ingest(deps: IngestionDeps, plan: IngestionPlan, run: IngestionRun): Promise<IngestionReport> {
  run.signal.throwIfAborted()
  const found = await findSources(plan.source, { projectFolder: dirname(plan.agentFile), dataDir: plan.dataDir })
  if (found.files.length === 0) throw new Error(emptySentence(plan.source, found))
  if (!run.force && isUnchanged(deps, plan, found)) return nothingDone(deps.store, found)
  return whileHolding(deps.store, { ...run, files: found.files.length }, (signal) =>
    bringUpToDate(deps, plan, { ...run, signal, found }),
  )
}

function isUnchanged({ store, embedder }: IngestionDeps, plan: IngestionPlan, { files }: FoundSources): boolean {
  if (store.fingerprint() !== fingerprintOf(plan, embedder) || !store.isComplete() || store.hasLeftovers()) return false
  const stored = new Map(store.files().map((file) => [file.path, file]))
  return (
    stored.size === files.length &&
    files.every((file) => isSame(stored.get(file.path), file)) &&
    store.countPassages() > 0
  )
}

const isSame = (stored: { size: number; mtimeMs: number } | undefined, file: SourceFile): boolean =>
  stored?.size === file.size && stored.mtimeMs === file.mtimeMs

function nothingDone(store: PassageStore, { files, skipped }: FoundSources): IngestionReport {
  return { files: files.length, passages: store.countPassages(), changed: 0, removed: 0, embedded: 0, skipped }
}

const claimMs = 30_000

async function whileHolding<Result>(
  store: PassageStore,
  { signal, onProgress, files }: IngestionRun & { files: number },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 0; !(await store.claim(claimMs)); attempt++) {
    if (attempt === 0) onProgress({ files, filesDone: 0, passages: store.countPassages(), isWaiting: true })
    await sleep(100, signal)
    signal.throwIfAborted()
  }
  const lost = new AbortController()
  let renewal: Promise<void> = Promise.resolve()
  async function renew() {
    try {
      if (!(await store.claim(claimMs))) lost.abort(new Error('another process has started to read the documents'))
    } catch (error) {
      lost.abort(error)
    }
  }
  const renewing = setInterval(() => {
    renewal = renew()
  }, claimMs / 3).unref()
  try {
    return await linkSignals([signal, lost.signal], work)
  } finally {
    clearInterval(renewing)
    await renewal
    // The claim expires by itself, and the earlier error matters more.
    await store.release().catch(() => undefined)
  }
}

async function bringUpToDate(
  deps: IngestionDeps,
  plan: IngestionPlan,
  { force, signal, onProgress, found }: IngestionRun & { found: FoundSources },
): Promise<IngestionReport> {
  const { store } = deps
  const fingerprint = fingerprintOf(plan, deps.embedder)
  if (store.fingerprint() !== fingerprint) await store.begin(fingerprint)
  await store.removeLeftovers()
  const stored = new Map(store.files().map((file) => [file.path, file]))
  const present = new Set(found.files.map(({ path }) => path))
  const gone = [...stored.keys()].filter((path) => !present.has(path))
  for (const path of gone) await store.removeFile(path)
  let [changed, embedded] = [0, 0]
  const lost: SourceFile[] = []
  for (const [index, file] of found.files.entries()) {
    signal.throwIfAborted()
    // Until the rebuild is complete, the old passages stay searchable.
    const before = force ? undefined : stored.get(file.path)
    if (!isSame(before, file)) {
      const bytes = await readSource(file)
      const { path, size, mtimeMs } = file
      const hash = bytes === null ? null : await hashOf(bytes)
      if (bytes === null || hash === null) {
        lost.push(file)
        await store.removeFile(path)
      } else if (before?.hash === hash) await store.touchFile({ path, hash, size, mtimeMs })
      else {
        const writing = store.writeFile({ path, hash, size, mtimeMs })
        const known = force ? noVectors : store.vectorsOf(path)
        for await (const made of makePassages(deps, plan, { file, bytes, known, signal })) {
          if (force && isOtherLength(store, made.passages)) await store.begin(fingerprint)
          await writing.add(made.passages)
          embedded += made.embedded
        }
        await writing.finish()
        changed++
      }
    }
    onProgress({ files: found.files.length, filesDone: index + 1, passages: store.countPassages(), isWaiting: false })
  }
  const passages = store.countPassages()
  if (passages === 0) throw new Error(`${plan.source} has no text in its ${found.files.length} files`)
  if (!store.isComplete()) await store.finish()
  const skipped = [...found.skipped, ...lost.map(({ path }) => ({ path, reason: 'deleted since the folder was read' }))]
  const files = found.files.length - lost.length
  return { files, passages, changed, removed: gone.length, embedded, skipped }
}

const noVectors: ReadonlyMap<string, Float32Array> = new Map()

/** The new vectors are not comparable with the stored ones, so nothing can be searched with them any more. */
function isOtherLength(store: PassageStore, passages: readonly NewPassage[]): boolean {
  const vector = passages.find((passage) => passage.vector !== null)?.vector
  return vector != null && ![null, vector.length].includes(store.dimensions())
}

/** `null` if the file was deleted meanwhile. */
async function readSource({ file, path }: SourceFile): Promise<Uint8Array | null> {
  try {
    return await readBytes(file)
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return null
    throw new Error(`${path} ${reasonOf(error)}`, { cause: error })
  }
}

const hashedAtOnce = 1024 * 1024

async function hashOf(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256')
  for (let at = 0; at < bytes.length; at += hashedAtOnce) {
    hash.update(bytes.subarray(at, at + hashedAtOnce))
    await yieldToEventLoop()
  }
  return hash.digest('hex')
}

interface FileWork {
  readonly file: SourceFile
  readonly bytes: Uint8Array
  /** Vectors by the hash of their text. */
  readonly known: ReadonlyMap<string, Float32Array>
  readonly signal: AbortSignal
}

/** How many passages are chunked, embedded and written before the event loop runs. */
const passagesAtOnce = 500

/** In batches, so that a large file neither blocks the process nor fills its memory with vectors. */
async function* makePassages(
  { embedder }: IngestionDeps,
  plan: IngestionPlan,
  { file, bytes, known, signal }: FileWork,
): AsyncGenerator<{ readonly passages: readonly NewPassage[]; readonly embedded: number }> {
  for await (const passages of readPassages(plan, file, bytes)) {
    signal.throwIfAborted()
    const texts = passages.map((passage) => embeddedText(passage, plan.isContextual))
    const hashes = texts.map((text) => createHash('sha256').update(text).digest('base64url'))
    const isMissing = (text: string, index: number) => hasWords(text) && !known.has(hashes[index] ?? '')
    const missing = embedder === null ? [] : texts.filter(isMissing)
    const vectors = embedder === null || missing.length === 0 ? [] : await embedder.embed(missing, signal)
    let next = 0
    const withVectors = passages.map((passage, index) => {
      const madeFrom = hashes[index] ?? ''
      const isEmbedded = embedder !== null && hasWords(texts[index] ?? '')
      const vector = isEmbedded ? (known.get(madeFrom) ?? vectors[next++] ?? null) : null
      return { ...passage, madeFrom, vector }
    })
    yield { passages: withVectors, embedded: missing.length }
  }
}

async function* readPassages(
  { chunking, records }: IngestionPlan,
  { path }: SourceFile,
  bytes: Uint8Array,
): AsyncGenerator<readonly Passage[]> {
  try {
    let passages: Passage[] = []
    for (const passage of chunkDocument(readDocument(path, bytes, records), chunking)) {
      if (passage !== yieldPoint) passages.push(passage)
      if (passages.length === passagesAtOnce) {
        yield passages
        passages = []
        await yieldToEventLoop()
      } else if (passage === yieldPoint) await yieldToEventLoop()
    }
    if (passages.length > 0) yield passages
  } catch (error) {
    throw new Error(`${path} ${reasonOf(error)}`, { cause: error })
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return `is not valid JSON (${error.message})`
  if (error instanceof RangeError) return 'is nested too deeply'
  const reason = messageOf(error)
  return /^(is|has|cannot) /.test(reason) ? reason : `cannot be read: ${reason}`
}

const embeddedText = ({ text, headings }: Passage, isContextual: boolean): string =>
  isContextual && headings.length > 0 ? `${headings.join(' > ')}\n${text}` : text

/** Changes if passages would come out differently. */
export function fingerprintOf({ chunking, records, isContextual }: IngestionPlan, embedder: Embedder | null): string {
  const made = { version, chunking, records, isContextual, embedder: embedder?.name ?? null }
  return createHash('sha256').update(JSON.stringify(made)).digest('hex')
}

function emptySentence(source: string, { skipped }: FoundSources): string {
  if (skipped.length === 0) return `${source} contains no documents`
  const named = skipped.slice(0, 5).map(({ path, reason }) => `${path} is ${reason}`)
  return `${source} contains no readable documents: ${named.join('; ')}${skipped.length > 5 ? '; …' : ''}`
}
