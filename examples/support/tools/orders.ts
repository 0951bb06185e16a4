// A function tool: one exported function, and a JSON Schema of its parameters.
import { readFile } from 'node:fs/promises'

interface Order {
  readonly number: string
  readonly items: readonly string[]
  readonly status: string
  readonly expected: string | null
}

export const parameters = {
  type: 'object',
  properties: {
    number: { type: 'string', pattern: '^HB-\\d{4}$', description: 'The number of the order, such as HB-1042' },
  },
  required: ['number'],
  additionalProperties: false,
}

/** The model gets the return value, or the message of a thrown error. */
export async function lookupOrder({ number }: { number: string }): Promise<string> {
  const orders: readonly Order[] = JSON.parse(await readFile(new URL('orders.json', import.meta.url), 'utf8'))
  const order = orders.find((candidate) => candidate.number === number)
  if (order === undefined) throw new Error(`there is no order ${number}`)
  const arrival = order.expected === null ? '' : ` Expected on ${order.expected}.`
  return `Order ${number}: ${order.items.join(', ')}. It is ${order.status}.${arrival}`
}
