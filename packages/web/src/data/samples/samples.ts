// Sample tables for trying Data: generated in the browser, deterministic, without personal data.
import type { ImportSource } from '../domain/import-plan.ts'

export interface Sample {
  readonly title: string
  readonly sentence: string
  readonly files: readonly ImportSource[]
  /** Suggested questions, the best first. */
  readonly questions: readonly string[]
}

/** Generated on demand; its size is known before. */
function generated(name: string, sizeBytes: number, write: () => string): ImportSource {
  return { name, size: sizeBytes, bytes: async () => new TextEncoder().encode(write()) }
}

export const samples: readonly Sample[] = [
  {
    title: 'Deliveries',
    sentence: '6,000 deliveries and the depots they left from: two tables that join.',
    files: [generated('deliveries.csv', 485_003, deliveriesCsv), generated('depots.csv', 234, depotsCsv)],
    questions: [
      'Which region had the most late deliveries in September, and why?',
      'How does the share of late deliveries change by month?',
      'Which carrier is the slowest on average?',
    ],
  },
  {
    title: 'Energy',
    sentence: 'A year of hourly readings of one building: use, sun and weather.',
    files: [generated('energy.csv', 317_055, energyCsv)],
    questions: [
      'How much energy was used per month?',
      'At which hour of the day is most used?',
      'How many readings are missing, and when?',
    ],
  },
  {
    title: 'Orders',
    sentence: '8,000 orders of a small shop, with prices, discounts and returns.',
    files: [generated('orders.csv', 478_523, ordersCsv)],
    questions: [
      'Which products bring the most revenue?',
      'How do returns differ between months?',
      'What is the average rating by category?',
    ],
  },
]

/** Deterministic random numbers from a seed: mulberry32. */
function createRandom(seed: number) {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    next,
    between: (low: number, high: number): number => low + next() * (high - low),
    whole: (low: number, high: number): number => low + Math.floor(next() * (high - low + 1)),
    pick: <Item>(items: readonly [Item, ...Item[]]): Item => items[Math.floor(next() * items.length)] ?? items[0],
    chance: (share: number): boolean => next() < share,
    /** Around zero, mostly within one. */
    normal: (): number => next() + next() + next() + next() - 2,
  }
}

type SampleRandom = ReturnType<typeof createRandom>

/** A year of hourly readings of one building. The patterns to find: a heat pump from October on, and a stuck meter. */
function energyCsv(): string {
  const random = createRandom(7)
  const lines = ['read_at,used_kwh,solar_kwh,outside_c,is_holiday']
  for (let hour = 0; hour < 8760; hour += 1) {
    const at = new Date(Date.UTC(2025, 0, 1, hour))
    const season = Math.cos(((hour / 24 - 15) / 365) * 2 * Math.PI)
    const clock = at.getUTCHours()
    const outside = 10 - 11 * season + 4 * Math.sin(((clock - 9) / 24) * 2 * Math.PI) + random.normal() * 2
    const isHoliday = at.getUTCDay() === 0 || isFeast(at)
    const busy = clock >= 7 && clock <= 18 && !isHoliday ? 6 : 1.5
    const heating = at.getUTCMonth() >= 9 ? Math.max(0, 16 - outside) * 0.55 : 0
    const used = Math.max(0.3, busy + heating + random.normal() * 0.6)
    const sun = Math.max(0, Math.sin(((clock - 6) / 13) * Math.PI)) * (5 - 3.5 * season) * random.between(0.25, 1)
    const isStill = at.getUTCMonth() === 2 && at.getUTCDate() >= 10 && at.getUTCDate() <= 12
    const shown = isStill ? '' : used.toFixed(2)
    const solar = clock < 6 || clock > 18 ? '0' : sun.toFixed(2)
    lines.push([at.toISOString().slice(0, 16).replace('T', ' '), shown, solar, outside.toFixed(1), isHoliday].join(','))
  }
  return lines.join('\n')
}

const feasts = new Set(['01-01', '05-01', '10-03', '12-25', '12-26'])
const isFeast = (date: Date): boolean => feasts.has(date.toISOString().slice(5, 10))

type Product = readonly [name: string, category: string, price: number]
const products: readonly [Product, ...Product[]] = [
  ['Tea', 'Kitchen', 8.5],
  ['Kettle', 'Kitchen', 39],
  ['Crème brûlée torch', 'Kitchen', 24.9],
  ['Desk lamp', 'Home', 54],
  ['Wool blanket', 'Home', 79],
  ['Notebook', 'Paper', 6.2],
  ['Fountain pen', 'Paper', 32],
  ['Backpack', 'Travel', 89],
  ['Water bottle', 'Travel', 19.5],
]
const channels = ['web', 'app', 'shop'] as const
const countries = ['DE', 'DE', 'DE', 'AT', 'CH', 'FR', 'NL'] as const

/** Orders of a small shop. The pattern to find: a sale in November brings more orders, but also more returns. */
function ordersCsv(): string {
  const random = createRandom(99)
  const lines = ['order_id,ordered_on,channel,country,product,category,quantity,unit_price,discount,returned,rating']
  for (let id = 1; id <= 8000; id += 1) lines.push(orderLine(random, id))
  return lines.join('\n')
}

function orderLine(random: SampleRandom, id: number): string {
  const date = orderDay(random)
  const [product, category, price] = random.pick(products)
  const isSale = date.getUTCMonth() === 10
  const discount = isSale ? random.pick([0.1, 0.2, 0.3]) : random.chance(0.08) ? 0.1 : 0
  const quantity = random.chance(0.75) ? 1 : random.whole(2, 5)
  const isReturned = random.chance((isSale ? 0.16 : 0.06) + (category === 'Travel' ? 0.03 : 0))
  const rating = random.chance(0.55)
    ? ''
    : Math.max(1, Math.min(5, Math.round(4.3 + random.normal() - (isReturned ? 2 : 0))))
  const region = [random.pick(channels), random.pick(countries)]
  const money = [quantity, price.toFixed(2), discount]
  return [
    10_000 + id,
    date.toISOString().slice(0, 10),
    ...region,
    product,
    category,
    ...money,
    isReturned,
    rating,
  ].join(',')
}

/** Over 2025, with twice as many in November. */
function orderDay(random: SampleRandom): Date {
  const date = new Date(Date.UTC(2025, 0, 1 + random.whole(0, 364)))
  return random.chance(0.09) ? new Date(Date.UTC(2025, 10, random.whole(1, 30))) : date
}

const day = 86_400_000
type Depot = readonly [id: string, name: string, region: string, opened: number]
const depots: readonly [Depot, ...Depot[]] = [
  ['D01', 'Hamburg', 'North', 2011],
  ['D02', 'Bremen', 'North', 2015],
  ['D03', 'Rostock', 'North', 2019],
  ['D04', 'Köln', 'West', 2009],
  ['D05', 'Essen', 'West', 2014],
  ['D06', 'München', 'South', 2012],
  ['D07', 'Nürnberg', 'South', 2016],
  ['D08', 'Leipzig', 'East', 2013],
  ['D09', 'Dresden', 'East', 2020],
]
const carriers = ['Bluebird', 'Hansa Cargo', 'Rapid', 'Velox'] as const
const names = [
  'ada',
  'ben',
  'chloé',
  'dario',
  'elif',
  'finn',
  'greta',
  'hugo',
  'ines',
  'jonas',
  'kaya',
  'lena',
] as const

function depotsCsv(): string {
  return ['depot_id,depot,region,opened_year', ...depots.map((depot) => depot.join(','))].join('\n')
}

/** The pattern to find: in September the north is late, with one carrier only. */
function deliveriesCsv(): string {
  const random = createRandom(2026)
  const start = Date.UTC(2026, 4, 1)
  const lines = ['delivery_id,depot_id,carrier,promised_at,delivered_at,weight_kg,fee_eur,customer_email']
  for (let id = 1; id <= 6000; id += 1) lines.push(deliveryLine(random, id, start + ((id - 1) / 6000) * 153 * day))
  return lines.join('\n')
}

function deliveryLine(random: SampleRandom, id: number, ordered: number): string {
  const [depot, , region] = random.pick(depots)
  const carrier = random.pick(carriers)
  const promised = new Date(ordered + random.whole(2, 4) * day)
  const isTrouble = region === 'North' && carrier === 'Hansa Cargo' && promised.getUTCMonth() === 8
  const hours = isTrouble ? random.between(20, 90) : random.normal() * 14 - 10
  const weight = Math.max(0.2, 8 + random.normal() * 6 + (random.chance(0.05) ? 40 : 0))
  const fee = 4.9 + weight * 0.35 + (carrier === 'Rapid' ? 3 : 0)
  const delivered = random.chance(0.012) ? '' : moment(new Date(promised.getTime() + hours * 3_600_000))
  const shownWeight = random.chance(0.02) ? '' : weight.toFixed(1)
  const email = random.chance(0.04) ? '' : `${random.pick(names)}.${random.whole(10, 999)}@example.com`
  return [id, depot, carrier, moment(promised), delivered, shownWeight, fee.toFixed(2), email].join(',')
}

const moment = (date: Date): string => date.toISOString().slice(0, 16).replace('T', ' ')
