// DuckDB errors that may be sent below level 2. Groups are names that must be known; `type` is a DuckDB type. Groups
// never contain cell values.

export interface ErrorForm {
  readonly pattern: RegExp
  /** Replaces an error that contains a cell. */
  readonly message?: string
}

const named = '"([^"\\n]+)"'
const type =
  '(?<type>U?INT(?:8|16|32|64|128)|U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|DOUBLE|FLOAT|DECIMAL(?:\\(\\d{1,2},\\d{1,2}\\))?|BOOL(?:EAN)?|DATE|TIME|TIMESTAMP(?:_S|_MS|_NS)?|INTERVAL|UUID|BLOB|VARCHAR|BIT|STRUCT|LIST)'
const typeLabel = '[A-Z][A-Z0-9_]*(?:\\(\\d{1,2},\\d{1,2}\\))?(?:\\[\\])*'

/** Written by `to-engine-error.ts`. */
const castHint = '(?: An argument is text: cast it first, as in CAST\\(x AS DATE\\))?'

const plain = (words: string): ErrorForm => ({ pattern: new RegExp(`^${words}`) })
const instead = (words: string, message: string): ErrorForm => ({ pattern: new RegExp(`^${words}`), message })

export const sqlErrorForms: readonly ErrorForm[] = [
  plain(`Binder Error: Referenced column ${named} (?:not found in FROM clause!|was not found[ a-zA-Z]*)`),
  plain(`Binder Error: Referenced table ${named} not found!`),
  plain(`Binder Error: (?:Table|Values list) ${named} does not have a column named ${named}`),
  plain(`Binder Error: Column ${named} does not exist on (?:left|right) side of join!`),
  plain(`Binder Error: Ambiguous reference to (?:column name|table) ${named}`),
  plain(`Binder Error: column ${named} must appear in the GROUP BY clause or must be part of an aggregate function\\.`),
  plain(`Binder Error: Could not find key ${named} in struct`),
  plain(
    `Binder Error: No function matches the given name and argument types '([^\\s'()]{1,40})\\((?:${typeLabel}(?:, )?)*\\)'\\.${castHint}`,
  ),
  plain(
    `Binder Error: Could not choose a best candidate function for the function call "([^\\s"()]{1,40})\\((?:${typeLabel}(?:, )?)*\\)"\\.${castHint}`,
  ),
  plain(
    `Binder Error: Cannot (?:mix|compare) values of type ${typeLabel} and (?:type )?${typeLabel}(?: in [a-zA-Z ]+)?`,
  ),
  plain('Binder Error: aggregate function calls cannot be nested'),
  plain(
    'Binder Error: (?:WHERE|GROUP BY|HAVING|JOIN|QUALIFY|FILTER) clause cannot contain (?:aggregates|window functions)!',
  ),
  plain('Binder Error: Set operations can only apply to expressions with the same number of result columns'),
  plain('Binder Error: (?:ORDER|GROUP BY) term out of range - should be between 1 and \\d{1,4}'),
  plain('Binder Error: STAR expression is only allowed as the root element of an expression\\.'),
  plain('Catalog Error: Table with name "?([^"\\n]+?)"? does not exist!'),
  plain('Catalog Error: (?:Scalar |Aggregate |Table )*Function with name "?([^"\\s]+?)"? does not exist!'),
  plain('Catalog Error: Type with name "?([^"\\s]+?)"? does not exist!'),
  plain('Parser Error: syntax error at or near "([^"\\n]+)"'),
  plain('Parser Error: syntax error at end of input'),
  instead('Parser Error: unterminated quoted string', 'Parser Error: unterminated string.'),
  plain(
    'Invalid Input Error: More than one row returned by a subquery used as an expression - scalar subqueries can only return a single row\\.',
  ),
  plain('(?:Files and addresses cannot be read here|Only reading is allowed here)'),
  plain('A table or step that this reads has changed: run it again\\.'),
  plain('Parameters are not supported: write the value instead\\.'),
  instead(
    `Conversion Error: Could not convert string '[\\s\\S]*' to ${type}\\b`,
    'Conversion Error: Could not convert string … to {type}: check the values for which try_cast returns NULL.',
  ),
  instead(
    `Conversion Error: Type [\\s\\S]* with value [\\s\\S]* can't be cast[\\s\\S]* type ${type}\\b`,
    'Conversion Error: A value does not fit {type}.',
  ),
  instead(
    'Conversion Error: (?:invalid|date|time|timestamp)[^"]{0,30} field',
    'Conversion Error: A text is not a valid date or time for this type: use try_cast or try_strptime.',
  ),
  instead(
    'Invalid Input Error: Could not parse string',
    'Invalid Input Error: A text does not match the format given to strptime: use try_strptime.',
  ),
  instead(
    `Out of Range Error: Overflow in \\w{3,20} of ${type} \\(`,
    'Out of Range Error: Overflow in a calculation of {type}: cast to a larger type first.',
  ),
  // Messages of `to-engine-error.ts`, which contain no cell.
  instead(
    "[\\s\\S]*This needs DuckDB's (?<type>JSON|ICU) extension, which this page does not have",
    "This needs DuckDB's {type} extension, which this page does not have.",
  ),
  instead(
    "[\\s\\S]*This needs DuckDB's \\w+ extension",
    'This needs an extension of DuckDB that this page does not have.',
  ),
]

/** All other errors, by the first word of DuckDB's message. */
export const kindSentences: Readonly<Record<string, string>> = {
  Binder: 'a name, a type or the position of an expression is wrong',
  Catalog: 'something with that name does not exist',
  Parser: 'the SQL cannot be parsed',
  Conversion: 'a value could not be converted: try_cast returns NULL instead',
  'Invalid Input': 'a function did not accept an argument',
  'Out of Range': 'a number is too large for its type',
  'Not implemented': 'that is not implemented',
  Constraint: 'a constraint does not hold',
  'Mismatch Type': 'types do not match',
  'Out of Memory': 'it needs more memory than available',
}
