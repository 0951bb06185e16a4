// Fixed queries for the questions that Data offers for its sample tables. The numbers come from the browser.
import type { KnownTable } from './known-tables.ts'
import { normalText } from './phrase.ts'
import type { Plan, PlannedStep } from './plan.ts'

/** `null` unless it is one of these questions and every table is an unchanged sample. */
export function samplePlan(question: string, tables: readonly KnownTable[]): Plan | null {
  const asked = normalText(question)
  const found = scripts.find((script) => normalText(script.question) === asked)
  if (found === undefined || !sampleQuestions(tables).includes(found.question)) return null
  const { steps, caveats = [], tables: names } = found
  const others = scripts.filter((one) => one !== found && one.tables[0] === names[0])
  return { steps, caveats, followUps: others.map((one) => one.question).slice(0, 3) }
}

/** The questions about these tables that have fixed queries. */
export function sampleQuestions(tables: readonly KnownTable[]): readonly string[] {
  if (!tables.every(isSample)) return []
  const has = (name: string) => tables.some((table) => table.name === name)
  return scripts.filter((script) => script.tables.every(has)).map(({ question }) => question)
}

/** Without the columns that Data locks when it opens a sample (customer_email). */
const samples: Readonly<Record<string, { readonly rowCount: number; readonly columns: string }>> = {
  deliveries: { rowCount: 6000, columns: 'delivery_id depot_id carrier promised_at delivered_at weight_kg fee_eur' },
  depots: { rowCount: 9, columns: 'depot_id depot region opened_year' },
  energy: { rowCount: 8760, columns: 'read_at used_kwh solar_kwh outside_c is_holiday' },
  orders: {
    rowCount: 8000,
    columns: 'order_id ordered_on channel country product category quantity unit_price discount returned rating',
  },
}

function isSample({ name, rowCount, columns }: KnownTable): boolean {
  const sample = samples[name]
  const has = (column: string) => columns.some((one) => one.name === column)
  return sample !== undefined && sample.rowCount === rowCount && sample.columns.split(' ').every(has)
}

interface Script {
  readonly question: string
  readonly tables: readonly string[]
  readonly steps: readonly PlannedStep[]
  readonly caveats?: readonly string[]
}

const late = '"delivered_at" > "promised_at"'
const lateWords =
  'Late means that delivered_at is after promised_at. A delivery without delivered_at is not counted as late.'
const joined = '"deliveries" JOIN "depots" USING ("depot_id")'
const month = (column: string): string => `date_trunc('month', "${column}")::DATE AS "month"`
const lateInSeptember = `${late} AND month("promised_at") = 9`

const scripts: readonly Script[] = [
  {
    question: 'Which region had the most late deliveries in September, and why?',
    tables: ['deliveries', 'depots'],
    steps: [
      {
        sql: `SELECT "region", count(*) AS "late deliveries" FROM ${joined} WHERE ${lateInSeptember} GROUP BY 1 ORDER BY 2 DESC, 1`,
        title: 'Late deliveries promised for September, by region',
        result: 'groups',
      },
      {
        sql: `SELECT "carrier", count(*) AS "late deliveries" FROM ${joined} WHERE "region" = 'North' AND ${lateInSeptember} GROUP BY 1 ORDER BY 2 DESC, 1`,
        title: 'Those of the region North, by carrier',
        result: 'groups',
      },
    ],
    caveats: [lateWords, 'The carriers show where the late deliveries are. They do not prove a cause.'],
  },
  {
    question: 'How does the share of late deliveries change by month?',
    tables: ['deliveries'],
    steps: [
      {
        sql: `SELECT ${month('promised_at')}, 100.0 * count(*) FILTER (WHERE ${late}) / count(*) AS "percentage late" FROM "deliveries" GROUP BY 1 ORDER BY 1`,
        title: 'The share of late deliveries by month of promised_at',
        result: 'times',
        unit: ' %',
      },
    ],
    caveats: [lateWords],
  },
  {
    question: 'Which carrier is the slowest on average?',
    tables: ['deliveries'],
    steps: [
      {
        sql: `SELECT "carrier", avg(date_diff('minute', "promised_at", "delivered_at") / 60.0) AS "average hours" FROM "deliveries" GROUP BY 1 ORDER BY 2 DESC, 1`,
        title: 'The average hours from promised_at to delivered_at, by carrier, slowest first',
        result: 'groups',
      },
    ],
    caveats: ['Rows without delivered_at are left out. A negative number is earlier than promised.'],
  },
  {
    question: 'What is the average weight kg in deliveries for each region of depots?',
    tables: ['deliveries', 'depots'],
    steps: [
      {
        sql: `SELECT "region", avg("weight_kg") AS "average weight_kg" FROM ${joined} GROUP BY 1 ORDER BY 2 DESC, 1`,
        title: 'The average weight_kg in deliveries, by region of depots',
        result: 'groups',
      },
    ],
    caveats: ['Rows without weight_kg are left out.'],
  },
  {
    question: 'How much energy was used per month?',
    tables: ['energy'],
    steps: [
      {
        sql: `SELECT ${month('read_at')}, sum("used_kwh") AS "used_kwh" FROM "energy" GROUP BY 1 ORDER BY 1`,
        title: 'The sum of used_kwh by month',
        result: 'times',
      },
    ],
    caveats: ['Rows without used_kwh are left out.'],
  },
  {
    question: 'At which hour of the day is most used?',
    tables: ['energy'],
    steps: [
      {
        sql: `SELECT hour("read_at") AS "hour", sum("used_kwh") AS "used_kwh" FROM "energy" GROUP BY 1 ORDER BY 2 DESC, 1`,
        title: 'The sum of used_kwh by hour of the day',
        result: 'groups',
      },
    ],
    caveats: ['Rows without used_kwh are left out.'],
  },
  {
    question: 'How many readings are missing, and when?',
    tables: ['energy'],
    steps: [
      {
        sql: `SELECT read_at::DATE AS "day", count(*) AS "readings without used_kwh" FROM "energy" WHERE "used_kwh" IS NULL GROUP BY 1 ORDER BY 1`,
        title: 'Readings without used_kwh, by day',
        result: 'groups',
      },
      {
        sql: `SELECT count(*) AS "readings without used_kwh" FROM "energy" WHERE "used_kwh" IS NULL`,
        title: 'The number of readings without used_kwh',
        result: 'value',
      },
    ],
  },
  {
    question: 'Which products bring the most revenue?',
    tables: ['orders'],
    steps: [
      {
        sql: `SELECT "product", sum("quantity" * "unit_price" * (1 - "discount")) AS "revenue" FROM "orders" GROUP BY 1 ORDER BY 2 DESC, 1`,
        title: 'Revenue by product',
        result: 'groups',
      },
    ],
    caveats: ['Revenue is quantity times unit_price, less the discount. Returned orders are included.'],
  },
  {
    question: 'How do returns differ between months?',
    tables: ['orders'],
    steps: [
      {
        sql: `SELECT ${month('ordered_on')}, count(*) FILTER (WHERE "returned") AS "returned orders" FROM "orders" GROUP BY 1 ORDER BY 1`,
        title: 'Returned orders by month of ordered_on',
        result: 'times',
      },
    ],
  },
  {
    question: 'What is the average rating by category?',
    tables: ['orders'],
    steps: [
      {
        sql: `SELECT "category", avg("rating") AS "average rating" FROM "orders" GROUP BY 1 ORDER BY 2 DESC, 1`,
        title: 'The average rating by category',
        result: 'groups',
      },
    ],
    caveats: ['Rows without rating are left out.'],
  },
]
