// Orders of a small shop. The pattern to find: a sale in November brings more orders, but also more returns.
import { createRandom, type SampleRandom } from './random.ts'

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

export function ordersCsv(): string {
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
