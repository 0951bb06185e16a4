// Plain questions about a table with awkward columns: names that are alike, spaces, gaps, dates. Each has the numbers of the
// right answer, worked out here in plain loops, or `null` where only a refusal is right.

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

export const foreignColumns: readonly { readonly name: keyof Trial; readonly type: string }[] = [
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

export const foreignCsv = [
  foreignColumns.map(({ name }) => name).join(','),
  ...trials.map((trial) => foreignColumns.map(({ name }) => trial[name] ?? '').join(',')),
].join('\n')

export const growersCsv = ['grower,country', 'Ada,NO', 'Ben,NO', 'Cleo,SE', 'Dora,SE', 'Emil,DK'].join('\n')

interface ForeignQuestion {
  readonly question: string
  readonly numbers: readonly number[] | null
  readonly words: string
}

const answered = (question: string, numbers: readonly number[], words: string): ForeignQuestion => ({
  ...{ question, numbers, words },
})
const only = (question: string): ForeignQuestion => ({ question, numbers: null, words: '' })

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0)
const mean = (values: readonly number[]): number => sum(values) / values.length
const filled = (trial: readonly Trial[]): readonly number[] => trial.flatMap(({ yield_kg }) => yield_kg ?? [])

type Group = readonly [key: string, value: number]

/** Largest first, equal ones by name, an empty name last. */
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
  (some) => mean(filled(some)),
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

export const foreignQuestions: readonly ForeignQuestion[] = [
  answered('How many rows are in field trials?', [48], 'is 48.'),
  answered('How many rows does growers have?', [5], 'is 5.'),
  answered('What is the sum of cost in field trials?', [sum(trials.map(({ cost }) => cost))], 'sum of cost in'),
  answered('What is the total cost_eur?', [sum(trials.map(({ cost_eur }) => cost_eur))], 'sum of cost_eur in'),
  answered('What is the average yield kg in field trials?', [mean(filled(trials))], 'average of yield_kg in'),
  answered('average of "yield kg net"', [mean(trials.map((one) => one['yield kg net']))], 'average of yield kg net in'),
  answered('What is the highest plot size?', [5], 'maximum of Plot size in'),
  answered('Minimum yield_kg', [Math.min(...filled(trials))], 'minimum of yield_kg in'),
  answered('What is the earliest sown_on in field trials?', [], 'is 2024-01-10'),
  answered('What is the average yield_kg by crop in field trials?', numbersOf(yieldByCrop), firstOf(yieldByCrop)),
  answered('Sum of cost by grower', numbersOf(costByGrower), firstOf(costByGrower)),
  answered('Largest cost eur for each crop in field trials', numbersOf(costByCrop), firstOf(costByCrop)),
  answered('Count by is organic', numbersOf(rowsByOrganic), firstOf(rowsByOrganic)),
  answered('Sum of cost by month of sown_on', highAndLow(costByMonth), ' 2024 ('),
  answered('Top 2 crop by sum of cost', numbersOf(namedCrops.slice(0, 2)), firstOf(namedCrops)),
  answered('Show the first 3 rows of field trials', [], 'has the first rows of field trials'),
  answered('Describe growers', [], 'grower (VARCHAR), country (VARCHAR)'),

  only('What is the average crop in field trials?'),
  only('What is the sum of is organic?'),
  only('What is the total sown_on?'),
  only('What is the latest cost?'),
  only('What is the average yield?'),
  only('What is the average net yield in kg?'),
  only('What is the sum of costs in field trials?'),
  only('How many trials are there?'),
  only('How many rows are there?'),
  only('How many rows are not organic?'),
  only('How many rows in field trials are without a crop?'),
  only('How many rows are in field trials except rye?'),
  only('Sum of cost in field trials without rye'),
  only('Sum of cost except Ada'),
  only('Sum of cost where crop is not rye'),
  only('Sum of cost for rye'),
  only('Sum of cost by grower for rye'),
  only('Average cost of organic plots'),
  only('How many plots have a yield above 15?'),
  only('Sum of cost > 120'),
  only('Average cost when plot size is at least 3'),
  only('Sum of cost in 2024'),
  only('Sum of cost in March'),
  only('Sum of cost since March 2024'),
  only('Sum of cost by month'),
  only('Sum of cost by week of sown_on'),
  only('How long is it from sown_on to harvested at?'),
  only('What is the cost per kg of yield?'),
  only('What is the ratio of cost to cost_eur?'),
  only('What is the second highest cost?'),
  only('Which grower has the second highest cost?'),
  only('Which grower has the highest cost?'),
  only('Top 3 grower by cost'),
  only('What percent of the total cost is rye?'),
  only('What is the percent of total cost by crop?'),
  only('Average cost by crop and grower'),
  only('Sum of cost by country'),
  only('What is the average cost in field trials for each country of growers?'),
  only('How many different crops are there?'),
  only('Which values are missing in field trials?'),
  only('Does cost rise with plot size?'),
  only('What is the median cost?'),
  only('Show the last 3 rows of field trials'),
  only('Show all rows where cost is over 150'),
  only('Count by grower'),
  only('And by month?'),
  only('Why?'),
]
