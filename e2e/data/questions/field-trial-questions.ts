// Questions about a table with awkward columns: similar names, spaces, empty values, dates. Each has the numbers of the
// right answer, calculated here without SQL, or `null` if the simulator must refuse it.

interface Trial {
  readonly plot: number
  readonly crop: string | null
  readonly grower: string
  readonly yield_kg: number | null
  readonly 'yield kg net': number
  readonly 'Plot size': number
  readonly sown_on: string
  readonly 'harvested at': string | null
  readonly 'is organic': boolean
  readonly cost: number
  readonly cost_eur: number
}

const trials: readonly Trial[] = Array.from({ length: 48 }, (_, at) => ({
  plot: at + 1,
  crop: [...(['barley', 'oats', 'rye'] as const), null][at % 4] ?? null,
  grower: ['Ada', 'Ben', 'Cleo', 'Dora', 'Emil', 'Fay', 'Gus'][(at * at) % 7] ?? '',
  yield_kg: at % 7 === 0 ? null : 10 + ((at * 37) % 50) / 4,
  'yield kg net': 5 + ((at * 13) % 40) / 8,
  'Plot size': 1 + (at % 5),
  sown_on: `2024-0${1 + (at % 6)}-1${at % 9}`,
  'harvested at': at % 5 === 0 ? null : `2024-0${7 + (at % 3)}-0${1 + (at % 9)} 08:30:00`,
  'is organic': at % 3 === 0,
  cost: 100 + ((at * 29) % 83),
  cost_eur: 90 + ((at * 17) % 71),
}))

export const fieldTrialColumns: readonly { readonly name: keyof Trial; readonly type: string }[] = [
  { name: 'plot', type: 'BIGINT' },
  { name: 'crop', type: 'VARCHAR' },
  { name: 'grower', type: 'VARCHAR' },
  { name: 'yield_kg', type: 'DOUBLE' },
  { name: 'yield kg net', type: 'DOUBLE' },
  { name: 'Plot size', type: 'DOUBLE' },
  { name: 'sown_on', type: 'DATE' },
  { name: 'harvested at', type: 'TIMESTAMP' },
  { name: 'is organic', type: 'BOOLEAN' },
  { name: 'cost', type: 'BIGINT' },
  { name: 'cost_eur', type: 'BIGINT' },
]

export const fieldTrialCsv = [
  fieldTrialColumns.map(({ name }) => name).join(','),
  ...trials.map((trial) => fieldTrialColumns.map(({ name }) => trial[name] ?? '').join(',')),
].join('\n')

export const growersCsv = ['grower,country', 'Ada,NO', 'Ben,NO', 'Cleo,SE', 'Dora,SE', 'Emil,DK'].join('\n')

interface FieldTrialQuestion {
  readonly question: string
  readonly numbers: readonly number[] | null
  /** Part of the answer. */
  readonly words: string
}

const answered = (question: string, numbers: readonly number[], words: string): FieldTrialQuestion => ({
  question,
  numbers,
  words,
})
const refused = (question: string): FieldTrialQuestion => ({ question, numbers: null, words: '' })

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0)
const mean = (values: readonly number[]): number => sum(values) / values.length
const yields = (some: readonly Trial[]): readonly number[] => some.flatMap(({ yield_kg }) => yield_kg ?? [])

type Group = readonly [key: string, value: number]

/** Largest first, equal values by name, empty names last. */
function grouped(
  keyOf: (trial: Trial) => string | null,
  measure: (trials: readonly Trial[]) => number,
): readonly Group[] {
  const keys = [...new Set(trials.map(keyOf))]
  return keys
    .map((key) => [key ?? '(empty)', measure(trials.filter((trial) => keyOf(trial) === key))] as const)
    .sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
}

const numbersOf = (groups: readonly Group[]): readonly number[] => groups.slice(0, 5).map(([, value]) => value)
const firstOf = (groups: readonly Group[]): string => `: ${groups[0]?.[0]} (`
const highAndLow = (groups: readonly Group[]): readonly number[] => [groups[0]?.[1] ?? 0, groups.at(-1)?.[1] ?? 0]

const yieldByCrop = grouped(
  ({ crop }) => crop,
  (some) => mean(yields(some)),
)
const costByGrower = grouped(
  ({ grower }) => grower,
  (some) => sum(some.map(({ cost }) => cost)),
)
const rowsByOrganic = grouped(
  (trial) => String(trial['is organic']),
  ({ length }) => length,
)
const costByMonth = grouped(
  ({ sown_on }) => sown_on.slice(0, 7),
  (some) => sum(some.map(({ cost }) => cost)),
)
const costByCrop = grouped(
  ({ crop }) => crop,
  (some) => Math.max(...some.map(({ cost_eur }) => cost_eur)),
)
const namedCrops = grouped(
  ({ crop }) => crop,
  (some) => sum(some.map(({ cost }) => cost)),
).filter(([name]) => name !== '(empty)')

export const fieldTrialQuestions: readonly FieldTrialQuestion[] = [
  answered('How many rows are in field trials?', [48], 'is 48.'),
  answered('How many rows does growers have?', [5], 'is 5.'),
  answered('What is the sum of cost in field trials?', [sum(trials.map(({ cost }) => cost))], 'sum of cost in'),
  answered('What is the total cost_eur?', [sum(trials.map(({ cost_eur }) => cost_eur))], 'sum of cost_eur in'),
  answered('What is the average yield kg in field trials?', [mean(yields(trials))], 'average of yield_kg in'),
  answered('average of "yield kg net"', [mean(trials.map((one) => one['yield kg net']))], 'average of yield kg net in'),
  answered('What is the highest plot size?', [5], 'maximum of Plot size in'),
  answered('Minimum yield_kg', [Math.min(...yields(trials))], 'minimum of yield_kg in'),
  answered('What is the earliest sown_on in field trials?', [], 'is 2024-01-10'),
  answered('What is the average yield_kg by crop in field trials?', numbersOf(yieldByCrop), firstOf(yieldByCrop)),
  answered('Sum of cost by grower', numbersOf(costByGrower), firstOf(costByGrower)),
  answered('Largest cost eur for each crop in field trials', numbersOf(costByCrop), firstOf(costByCrop)),
  answered('Count by is organic', numbersOf(rowsByOrganic), firstOf(rowsByOrganic)),
  answered('Sum of cost by month of sown_on', highAndLow(costByMonth), ' 2024 ('),
  answered('Top 2 crop by sum of cost', numbersOf(namedCrops.slice(0, 2)), firstOf(namedCrops)),
  answered('Show the first 3 rows of field trials', [], 'has the first rows of field trials'),
  answered('Describe growers', [], 'grower (VARCHAR), country (VARCHAR)'),

  refused('What is the average crop in field trials?'),
  refused('What is the sum of is organic?'),
  refused('What is the total sown_on?'),
  refused('What is the latest cost?'),
  refused('What is the average yield?'),
  refused('What is the average net yield in kg?'),
  refused('What is the sum of costs in field trials?'),
  refused('How many trials are there?'),
  refused('How many rows are there?'),
  refused('How many rows are not organic?'),
  refused('How many rows in field trials are without a crop?'),
  refused('How many rows are in field trials except rye?'),
  refused('Sum of cost in field trials without rye'),
  refused('Sum of cost except Ada'),
  refused('Sum of cost where crop is not rye'),
  refused('Sum of cost for rye'),
  refused('Sum of cost by grower for rye'),
  refused('Average cost of organic plots'),
  refused('How many plots have a yield above 15?'),
  refused('Sum of cost > 120'),
  refused('Average cost when plot size is at least 3'),
  refused('Sum of cost in 2024'),
  refused('Sum of cost in March'),
  refused('Sum of cost since March 2024'),
  refused('Sum of cost by month'),
  refused('Sum of cost by week of sown_on'),
  refused('How long is it from sown_on to harvested at?'),
  refused('What is the cost per kg of yield?'),
  refused('What is the ratio of cost to cost_eur?'),
  refused('What is the second highest cost?'),
  refused('Which grower has the second highest cost?'),
  refused('Which grower has the highest cost?'),
  refused('Top 3 grower by cost'),
  refused('What percent of the total cost is rye?'),
  refused('What is the percent of total cost by crop?'),
  refused('Average cost by crop and grower'),
  refused('Sum of cost by country'),
  refused('What is the average cost in field trials for each country of growers?'),
  refused('How many different crops are there?'),
  refused('Which values are missing in field trials?'),
  refused('Does cost rise with plot size?'),
  refused('What is the median cost?'),
  refused('Show the last 3 rows of field trials'),
  refused('Show all rows where cost is over 150'),
  refused('Count by grower'),
  refused('And by month?'),
  refused('Why?'),
]
