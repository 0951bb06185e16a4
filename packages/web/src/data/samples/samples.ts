// Sample tables for trying Data: generated in the browser, deterministic, without personal data.
import type { ImportSource } from '../domain/import-plan.ts'
import { deliveriesCsv, depotsCsv } from './deliveries.ts'
import { energyCsv } from './energy.ts'
import { ordersCsv } from './orders.ts'

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
