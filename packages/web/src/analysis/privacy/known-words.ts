// Words that give nothing away: the model wrote them, was told them, or any database says them.
import { sqlTokens } from '../steps/sql-names.ts'

export interface KnownWords {
  /** SQL or JavaScript of the model. */
  readonly code: string
  /** Names of tables and columns that the model may know. */
  readonly names: readonly string[]
}

const wordPattern = /[\p{L}\p{M}\p{N}_]+/gu

export const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(wordPattern) ?? []

/** What DuckDB itself puts into the name of a column: `count_star()`, `CAST(a AS BIGINT)`, `a_1`. */
const ofTheEngine = new Set(
  wordsOf(`count_star count sum avg min max median first last any_value mode list cast as try_cast case when then else end
    and or not in is null true false distinct over partition by order rows range between unbounded preceding following
    current row filter where integer bigint smallint tinyint hugeint double float decimal varchar boolean date timestamp
    time interval asc desc nulls column_name column_type key default extra approx_unique std q25 q50 q75 null_percentage
    sum_no_overflow round main strptime strftime date_trunc date_part datetrunc row_number rank dense_rank`),
)

/** Whether every word of a column's name is known: names of a PIVOT are cells. */
export function createNameCheck({ code, names }: KnownWords): (name: string) => boolean {
  const known = new Set([...ofTheEngine, ...names.flatMap(wordsOf), ...codeWords(code)])
  const whole = new Set(names)
  return (name) => whole.has(name) || wordsOf(name).every((word) => known.has(word) || isCopy(word, known))
}

/** `total_1`: DuckDB's name for the second `total`. */
const isCopy = (word: string, known: ReadonlySet<string>): boolean => known.has(word.replace(/_\d{1,2}$/, ''))

function codeWords(code: string): readonly string[] {
  return [...sqlTokens(code)].filter(({ kind }) => kind !== 'comment').flatMap(({ text }) => wordsOf(text))
}
