// What a question asks for beside the names in it: how to count, how to order, over what time.
import { wordsIn } from '../../words.ts'

export const timeUnits = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const
export type TimeUnit = (typeof timeUnits)[number]
export type Aggregate = 'sum' | 'average' | 'median' | 'min' | 'max'

export interface QuestionWords {
  readonly words: readonly string[]
  readonly aggregates: readonly Aggregate[]
  readonly isCount: boolean
  readonly isDistinct: boolean
  readonly isShare: boolean
  readonly isMissing: boolean
  readonly isDuplicate: boolean
  readonly isDistribution: boolean
  readonly isCorrelation: boolean
  readonly isDuration: boolean
  readonly isLate: boolean
  readonly isOnTime: boolean
  readonly isRunningTotal: boolean
  readonly isMoney: boolean
  readonly isTrend: boolean
  readonly isWhy: boolean
  readonly isComparison: boolean
  readonly isWhen: boolean
  readonly unit: TimeUnit | null
  /** Hours of the day or days of the week, whatever the date. */
  readonly cycle: 'hour' | 'weekday' | null
  /** The first of an order, and which end. */
  readonly order: 'down' | 'up' | null
  readonly limit: number | null
  /** The word or digits it was said with. */
  readonly limitSaid: string | null
  /** "The first 5", "the last 5". */
  readonly end: 'first' | 'last' | null
  /** Goes on with the question before it. */
  readonly isFollowUp: boolean
}

export function readWords(question: string): QuestionWords {
  const text = question.toLowerCase()
  const has = (pattern: RegExp) => pattern.test(text)
  const unit = unitIn(text)
  const isDuration = has(/\b(how long|duration|slow\w*|fast\w*|quick\w*|lead time|takes?|delays?)\b/)
  return {
    words: wordsIn(question),
    aggregates: aggregatesIn(text),
    isCount: has(/\b(how many|number of|count|how often|how frequent)/),
    isDistinct: has(/\b(different|distinct|unique)\b/),
    isShare: has(/\b(share|percent\w*|proportion|fraction|rate|part of)\b|%/),
    isMissing: has(/\b(missing|nulls?|empty|gaps?|blanks?|incomplete|not filled)\b/),
    isDuplicate: has(/\b(duplicat\w*|doubles?|doubled|twice|repeated)\b/),
    isDistribution: has(/\b(distribut\w*|histogram|spread|most common|most frequent|frequenc\w*)\b/),
    isCorrelation: has(
      /\b(correlat\w*|relat(?:ed|es?|ion\w*)|depends?|(?:rises?|grows?|goes|go) with|(?:go|goes|move|moves|belong) together|linked|connected|influences?|affects?)\b/,
    ),
    isDuration,
    isLate: has(/\b(late|delayed|overdue|too late|lateness)\b/),
    isOnTime: has(/\b(on time|in time|punctual\w*)\b/),
    isRunningTotal: has(/\b(running total|cumulative|accumulated|added up over)\b/),
    isMoney: has(/\b(revenue|sales|turnover|income|earn\w*|money|proceeds)\b/),
    isTrend:
      has(/\b(over time|trend\w*|develop\w*|evolv\w*|chang(?:e|ed|es|ing)|grow\w*|histor\w*|timeline)\b/) ||
      unit !== null,
    isWhy: has(/\bwhy\b|\breasons?\b|\bexplain/),
    isComparison: has(
      /\b(compar\w*|versus|vs|differ\w*|against|between|(?:lower|higher|better|worse)(?! than -?\d))\b/,
    ),
    isWhen: has(/\bwhen\b/),
    unit,
    cycle: has(/\bhours? of (?:the )?day\b|\bwhich hours?\b|\btime of day\b/)
      ? 'hour'
      : has(/\b(weekdays?|days? of (?:the )?week)\b/)
        ? 'weekday'
        : null,
    order: orderIn(text),
    ...limitIn(text),
    isFollowUp: has(/^\s*(and|what about|how about|now|same|only|also|but|then)\b/),
  }
}

function aggregatesIn(text: string): readonly Aggregate[] {
  const signs: readonly (readonly [Aggregate, RegExp])[] = [
    ['average', /\b(average|averages|mean|avg|typical(?:ly)?)\b/],
    ['median', /\bmedian\b/],
    ['sum', /\b(total|totals|sum|altogether|overall|how much|added up|in all)\b/],
    ['min', /\b(minimum|min|smallest value|earliest|first)\b/],
    ['max', /\b(maximum|max|largest value|latest|last)\b/],
  ]
  // "The first five" are a number of them, not the earliest.
  const rest = text.replaceAll(
    new RegExp(`\\b(?:first|last)\\s+${isNumber}\\b|\\b${isNumber}\\s+(?:first|last)\\b`, 'g'),
    ' ',
  )
  return signs.flatMap(([aggregate, sign]) => (sign.test(rest) ? [aggregate] : []))
}

function unitIn(text: string): TimeUnit | null {
  const adverb = /\b(hourly|daily|weekly|monthly|quarterly|yearly|annual(?:ly)?)\b/.exec(text)?.[1]
  if (adverb !== undefined) {
    if (adverb.startsWith('annual')) return 'year'
    return adverb === 'daily' ? 'day' : (timeUnits.find((unit) => adverb.startsWith(unit)) ?? null)
  }
  const named =
    /\b(?:by|per|each|every|between|over(?: the)?|across(?: the)?|from|in which|which|what|of the|best|worst|busiest|strongest|weakest|slowest)\s+(?:the\s+)?(hour|day|week|month|quarter|year)s?\b/.exec(
      text,
    )?.[1]
  if (/\bdays? of (?:the )?week|hours? of (?:the )?day/.test(text)) return null
  return timeUnits.find((unit) => unit === named) ?? (/\bmonths\b/.test(text) ? 'month' : null)
}

function orderIn(text: string): QuestionWords['order'] {
  if (/\b(?:less|lower|fewer|smaller) than (?!-?\d)/.test(text)) return 'up'
  if (
    /\b(least|lowest|smallest|fewest|worst|bottom|cheapest|shortest|fastest|quickest|lightest|youngest|rarest)\b/.test(
      text,
    )
  )
    return 'up'
  const most =
    /\b(most|highest|largest|biggest|best|top|greatest|longest|slowest|heaviest|oldest|leading|maximum|max|more)\b/
  return most.test(text) ? 'down' : null
}

const numbers = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')
/** A year is none. */
const isNumber = `((?!(?:19|20)\\d\\d\\b)\\d{1,4}|${numbers.join('|')})`
const ends = [
  'top bottom best worst first last largest smallest highest lowest biggest greatest most least fewest heaviest lightest',
  'longest shortest oldest youngest newest latest earliest cheapest slowest fastest',
].flatMap((line) => line.split(' '))

/** As many rows as leave at once. */
export const mostLimit = 100

export function numberIn(said: string): number | null {
  const value = numbers.includes(said) ? numbers.indexOf(said) : /^\d{1,4}$/.test(said) ? Number(said) : 0
  return value > 0 ? Math.min(value, mostLimit) : null
}

/** "The five largest", "top 5", "the last ten". */
function limitIn(text: string): Pick<QuestionWords, 'limit' | 'limitSaid' | 'end'> {
  const end = ends.join('|')
  // "At least 5" is a size, and "which one" is no number.
  const behind = new RegExp(`(?<!\\bat )\\b(${end}|which(?! one\\b))[\\s-]*${isNumber}\\b`).exec(text)
  const before = new RegExp(`\\b${isNumber}\\s+(${end})\\b`).exec(text)
  const [word, said] = behind !== null ? [behind[1], behind[2]] : [before?.[2], before?.[1]]
  const limit = said === undefined ? null : numberIn(said)
  if (said === undefined || limit === null) return { limit: null, limitSaid: null, end: endIn(text) }
  return { limit, limitSaid: said, end: word === 'first' || word === 'last' ? word : null }
}

/** "The first rows", without a number. */
const endIn = (text: string): QuestionWords['end'] =>
  /\blast (?:few )?(?:rows?|records?|lines?|entr(?:y|ies))\b/.test(text) ? 'last' : null
