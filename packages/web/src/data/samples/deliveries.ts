// Deliveries and their depots. The pattern to find: in September the north is late, with one carrier only.
import { createRandom, type SampleRandom } from './random.ts'

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

export const depotsCsv = (): string =>
  ['depot_id,depot,region,opened_year', ...depots.map((depot) => depot.join(','))].join('\n')

export function deliveriesCsv(): string {
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
