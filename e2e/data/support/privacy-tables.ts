// Tables with secrets that must not leave the browser.
import type { NewTable } from './privacy-page.ts'

export const cellSecret = 'zebra-4711-quartz'
export const neverSecret = 'omega-0815-opal'
export const neverName = 'geheime_nummer'
export const otherTable = 'payroll_private'
export const otherSecret = 'sigma-2342-onyx'

const regions = ['North', 'South', 'East', 'West']
const lines = Array.from({ length: 400 }, (_, index) => {
  const city = index === 7 ? 'Rareville' : `City ${index % 8}`
  const note = index === 13 ? cellSecret : `zz note ${index}`
  const salary = 1000 + ((index * 37) % 400) * 10
  return `${index + 1},Person ${index},${regions[index % 4]},${city},${salary},${note},${neverSecret}-${index}`
})
const columns = [
  ...[{ name: 'id', type: 'BIGINT' }],
  ...['name', 'region', 'city'].map((name) => ({ name, type: 'VARCHAR' })),
  ...[{ name: 'salary', type: 'DOUBLE' }],
  ...['note', neverName].map((name) => ({ name, type: 'VARCHAR' })),
]
export const tables: readonly NewTable[] = [
  {
    name: 'people',
    columns,
    neverSent: [neverName],
    csv: `id,name,region,city,salary,note,${neverName}\n${lines.join('\n')}\n`,
  },
  {
    name: 'managers',
    columns: ['region', 'manager'].map((name) => ({ name, type: 'VARCHAR' })),
    csv: `region,manager\n${regions.map((region) => `${region},Boss of ${region}`).join('\n')}\n`,
  },
  {
    name: 'orders',
    columns: ['person', 'amount'].map((name) => ({ name, type: 'BIGINT' })),
    csv: `person,amount\n${Array.from({ length: 2400 }, (_, index) => `${(index % 400) + 1},${index * 3}`).join('\n')}\n`,
  },
  {
    name: 'staff',
    columns: ['sid', 'pay'].map((name) => ({ name, type: 'BIGINT' })),
    csv: `sid,pay\n${Array.from({ length: 40 }, (_, index) => `${index + 1},${70_000 + index * 137}`).join('\n')}\n`,
  },
  { name: 'chief', columns: ['nr', 'bonus'].map((name) => ({ name, type: 'BIGINT' })), csv: 'nr,bonus\n1,77123\n' },
  {
    name: otherTable,
    columns: ['who', 'lohn'].map((name) => ({ name, type: 'VARCHAR' })),
    csv: `who,lohn\n${otherSecret},1\n`,
  },
  {
    name: 'Größen',
    columns: ['Größe', '价格', 'a"b', 'Price ($)'].map((name) => ({ name, type: 'BIGINT' })),
    csv: `Größe,价格,"a""b",Price ($)\n${Array.from({ length: 30 }, (_, index) => `${index % 3},${index},1,2`).join('\n')}\n`,
  },
]
export const scope = ['people', 'managers', 'orders']
