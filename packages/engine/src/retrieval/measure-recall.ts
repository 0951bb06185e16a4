// Search quality: the share of questions whose passage is among the first results, and the mean reciprocal rank.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type HierarchicalDocumentTool, parseJson, QuarterdeckError } from '@quarterdeck/protocol'
import { z } from 'zod'
import { defaultSearch } from './default-search.ts'
import type { Embedder } from './embedders/embedder.ts'
import { createLocalEmbedder } from './embedders/local-embedder.ts'
import { ingest } from './ingest.ts'
import type { PassageStore, Ranked, StoredPassage } from './passage-store.ts'
import { planIngestion, settingsOf } from './retrieval-plan.ts'
import { type SearchMode, searchPassages } from './search/search-passages.ts'
import { createSqlPassages } from './sql/create-sql-passages.ts'

const LabelledQuestion = z.object({
  id: z.string(),
  kind: z.string(),
  question: z.string(),
  /** The file below `documents/`. */
  source: z.string(),
  /** For human readers. */
  where: z.string(),
  /** Texts in the passage that answers the question. */
  words: z.string(),
})
type LabelledQuestion = z.infer<typeof LabelledQuestion>

const modes = ['keyword', 'semantic', 'hybrid'] as const satisfies readonly SearchMode[]

export interface Recall {
  readonly recall1: number
  readonly recall3: number
  readonly recall10: number
  readonly mrr: number
}

const figures: readonly (keyof Recall)[] = ['recall1', 'recall3', 'recall10', 'mrr']

export interface RecallReport {
  readonly questions: number
  readonly files: number
  readonly passages: number
  readonly modes: Readonly<
    Record<(typeof modes)[number], Recall & { readonly kinds: Readonly<Record<string, Recall>> }>
  >
  /** Questions that hybrid search does not answer in the first ten results. */
  readonly missed: readonly string[]
  /** Whether hybrid search is at least as good as the better of the others, in each of the four numbers. */
  readonly isHybridBest: boolean
}

/** Measures `documents/` and `questions.json` in this folder, with the local embedder. */
export async function measureRecall(folder: string, signal: AbortSignal): Promise<RecallReport> {
  const questions = await readQuestions(join(folder, 'questions.json'))
  const scratch = await mkdtemp(join(tmpdir(), 'quarterdeck-recall-'))
  const embedder = createLocalEmbedder()
  const store = createSqlPassages(join(scratch, 'recall.db'), { now: () => new Date() })
  try {
    const source = join(folder, 'documents')
    const tool = defaultTool(source)
    const plan = planIngestion({ file: join(source, 'agent.yaml') }, tool, null)
    const written: Answer[] = []
    const recording = recordPassages(store, written)
    const run = { force: false, signal, onProgress: () => {} }
    const { files, passages } = await ingest({ store: recording, embedder }, plan, run)
    refuseUnanswerable(questions, written)
    const asked = remembering(embedder)
    const rankedByMode = new Map<SearchMode, readonly RankedQuestion[]>()
    for (const mode of modes) {
      const found: RankedQuestion[] = []
      const settings = { ...settingsOf(tool), mode }
      for (const question of questions) {
        const ranked = await searchPassages({ store, embedder: asked }, question.question, { settings, signal })
        found.push({ question, rank: rankOf(store, ranked, question) })
      }
      rankedByMode.set(mode, found)
    }
    return report(rankedByMode, { questions: questions.length, files, passages })
  } finally {
    store.close()
    await embedder.close()
    await rm(scratch, { recursive: true, force: true })
  }
}

type Answer = Pick<StoredPassage, 'path' | 'text' | 'headings' | 'row'>

function recordPassages(store: PassageStore, written: Answer[]): PassageStore {
  return {
    ...store,
    writeFile(file) {
      const writing = store.writeFile(file)
      const add: typeof writing.add = (passages) => {
        for (const { text, headings, row } of passages) written.push({ path: file.path, text, headings, row })
        return writing.add(passages)
      }
      return { ...writing, add }
    },
  }
}

const maxListed = 10

/** A label that no passage matches would count as a failed search. */
function refuseUnanswerable(questions: readonly LabelledQuestion[], written: readonly Answer[]): void {
  const wrong = questions.flatMap((question, index) => {
    if (written.some((passage) => answers(passage, question))) return []
    const isThere = written.some(({ path }) => path === question.source)
    const what = isThere
      ? `no passage of ${question.source} contains its texts`
      : `no document ${question.source} was read`
    return [`question ${index + 1} (${question.id}): ${what}`]
  })
  if (wrong.length === 0) return
  const more = wrong.length > maxListed ? [`and ${wrong.length - maxListed} more`] : []
  throw new QuarterdeckError('config.invalid', ['questions.json:', ...wrong.slice(0, maxListed), ...more].join('\n'))
}

const defaultTool = (source: string): HierarchicalDocumentTool => ({
  type: 'hierarchical_document',
  name: 'recall',
  description: '',
  isCritical: false,
  onFailure: 'error',
  ...defaultSearch,
  source,
})

/** A question has the same vector in every mode. */
function remembering(embedder: Embedder): Embedder {
  const known = new Map<string, Promise<readonly Float32Array[]>>()
  return {
    name: embedder.name,
    embed(texts, signal) {
      const key = texts.join('\n')
      const vectors = known.get(key) ?? embedder.embed(texts, signal)
      known.set(key, vectors)
      return vectors
    },
  }
}

const Questions = z.array(LabelledQuestion).min(1)
const fieldNames = Object.keys(LabelledQuestion.shape).join(', ')

async function readQuestions(file: string): Promise<LabelledQuestion[]> {
  const unreadable = (detail: string) => new QuarterdeckError('config.unreadable', `${file}: ${detail}`)
  const text = await readFile(file, 'utf8').catch(() => {
    throw unreadable('no such file. The folder needs documents/ and questions.json.')
  })
  const parsed = Questions.safeParse(parseJson(text) ?? null)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const [index, field] = issue?.path ?? []
  if (typeof index !== 'number') throw unreadable(`must be a JSON list of questions, each with ${fieldNames}`)
  const what = field === undefined ? 'must be an object' : `needs "${String(field)}", a text`
  throw unreadable(`question ${index + 1} ${what}. Each has ${fieldNames}.`)
}

interface RankedQuestion {
  readonly question: LabelledQuestion
  /** From 1; `null` if it is not among the results. */
  readonly rank: number | null
}

function rankOf(store: PassageStore, ranked: readonly Ranked[], question: LabelledQuestion): number | null {
  const index = store.load(ranked.map(({ id }) => id)).findIndex((passage) => answers(passage, question))
  return index === -1 ? null : index + 1
}

const answers = ({ path, text, headings, row }: Answer, { source, words }: LabelledQuestion): boolean =>
  path === source && plain([...headings, row ?? '', text].join('\n')).includes(plain(words))

const plain = (text: string): string => text.replaceAll(/\s+/g, ' ').toLowerCase()

function report(
  rankedByMode: ReadonlyMap<SearchMode, readonly RankedQuestion[]>,
  counts: Pick<RecallReport, 'questions' | 'files' | 'passages'>,
): RecallReport {
  const of = (mode: SearchMode) => {
    const rankedQuestions = rankedByMode.get(mode) ?? []
    const kinds = [...new Set(rankedQuestions.map(({ question }) => question.kind))]
    const ofKind = (kind: string) => recallOf(rankedQuestions.filter(({ question }) => question.kind === kind))
    return { ...recallOf(rankedQuestions), kinds: Object.fromEntries(kinds.map((kind) => [kind, ofKind(kind)])) }
  }
  const [keyword, semantic, hybrid] = [of('keyword'), of('semantic'), of('hybrid')]
  return {
    ...counts,
    modes: { keyword, semantic, hybrid },
    missed: (rankedByMode.get('hybrid') ?? []).filter(({ rank }) => rank === null).map(({ question }) => question.id),
    isHybridBest: figures.every((figure) => hybrid[figure] >= Math.max(keyword[figure], semantic[figure])),
  }
}

function recallOf(rankedQuestions: readonly RankedQuestion[]): Recall {
  const share = (within: number) =>
    round(rankedQuestions.filter(({ rank }) => rank !== null && rank <= within).length / rankedQuestions.length)
  const sum = rankedQuestions.reduce((total, { rank }) => total + (rank === null ? 0 : 1 / rank), 0)
  return { recall1: share(1), recall3: share(3), recall10: share(10), mrr: round(sum / rankedQuestions.length) }
}

const round = (share: number): number => Math.round(share * 1000) / 1000
