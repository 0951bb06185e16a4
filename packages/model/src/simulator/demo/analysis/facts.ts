import type { Noticed, NoticedColumn } from './noticed.ts'
import type { QuestionWords } from './question-words.ts'
import type { ColumnRef, Group } from './reading.ts'
import type { Source } from './sql-parts.ts'

/** What all rules of a question share. */
export interface Facts {
  readonly question: string
  readonly words: QuestionWords
  readonly noticed: Noticed
  readonly source: Source
  readonly nameOf: (ref: ColumnRef) => string
  readonly date: ColumnRef | null
  readonly measure: ColumnRef | null
  readonly group: NoticedColumn | null
}

export const groupOf = ({ item }: NoticedColumn, nameOf: Facts['nameOf']): Group => ({
  sql: nameOf(item),
  label: item.name,
})
