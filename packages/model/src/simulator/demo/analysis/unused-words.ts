// Words of a question that had no part in the answer: saying them keeps an answer from passing for more than it is.
import { isFiller, stemOf, wordsIn } from '../../words.ts'
import { type Noticed, synonymsOf } from './noticed.ts'
import type { Plan } from './plan-queries.ts'
import { readWords } from './question-words.ts'
import type { Reading } from './reading.ts'

/** Those that say how to look, not at what. */
const ways = new Set(
  (
    'tell show give list find look see know want need say make get go come take bring happen explain describe compare ' +
    'many much often long few number count amount total sum altogether overall average mean avg typical median min ' +
    'minimum max maximum different distinct unique share percent percentage proportion fraction rate part missing null ' +
    'empty gap blank incomplete filled duplicate double doubled twice repeated repeat distribution distributed ' +
    'histogram spread common frequent frequency correlate correlation correlated related relate relation relationship ' +
    'together linked connected belong move display print fetch line recent newest oldest ' +
    'depend rise grow influence affect duration slow slowest slower fast fastest faster quick quickest lead takes delay ' +
    'late delayed overdue too lateness time punctual running cumulative accumulated added revenue sales turnover income ' +
    'earn money proceeds over trend develop development evolve change changed growth history timeline reason versus vs ' +
    'differ difference against between lower higher better worse hour day week month quarter year hourly daily weekly ' +
    'monthly quarterly yearly annual annually weekday busiest strongest weakest and also now same only but then per ' +
    'each every all across among grouped group whose value row record entry entries table column data step under above ' +
    'below least at exceeding since during january february march april may june july august september october ' +
    'november december one two three four five six seven eight nine ten other really very just still ever please ' +
    'exist exists have made sold sell sells kind sort first last earliest latest less than fewer within without never'
  )
    .split(' ')
    .map(stemOf),
)

const orders = new Set(
  (
    'lowest smallest fewest worst bottom cheapest shortest lightest youngest rarest most highest largest biggest best ' +
    'top greatest longest heaviest oldest leading more'
  ).split(' '),
)

export interface Unused {
  readonly question: string
  readonly noticed: Noticed
  readonly reading: Reading
  readonly plan: Plan
  /** Values and names that something else is said of. */
  readonly explained: readonly string[]
}

export function unusedWords({ question, noticed, reading, plan, explained }: Unused): readonly string[] {
  const sent = JSON.stringify([plan.main.input, plan.context?.input ?? null, reading.filters])
  const isSent = (name: string) => sent.includes(JSON.stringify(name).slice(1, -1))
  const used = [...noticed.columns, ...noticed.tables].filter(({ item }) => isSent(item.name))
  const stems = new Set([...explained, ...used.map(({ item }) => item.name)].flatMap(wordsIn).map(stemOf))
  const isTold = (word: string, at: number) =>
    used.some((one) => at >= one.at && at < one.at + one.length) ||
    stems.has(stemOf(word)) ||
    synonymsOf(word).some((other) => stems.has(stemOf(other)))
  const words = wordsIn(question).filter((word, at) => {
    if (/^\d/.test(word) || word.length < 3 || isFiller(word)) return false
    if (orders.has(word)) return !isOrderUsed(reading) && !isTold(word, at)
    return !ways.has(stemOf(word)) && !isTold(word, at)
  })
  const { limitSaid } = readWords(question)
  const isCut = reading.task.type === 'groups' || reading.task.type === 'list'
  return [...new Set([...words, ...(limitSaid === null || isCut ? [] : [limitSaid])])]
}

/** Groups and times are ordered, and the end of a column is one. */
function isOrderUsed({ task }: Reading): boolean {
  if (task.type === 'values') return task.measures.some(({ label }) => /^(?:lowest|highest) /.test(label))
  return task.type === 'list' || task.type === 'groups' || task.type === 'trend' || task.type === 'distribution'
}
