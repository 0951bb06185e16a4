import { otherThan } from './table-name.ts'

export interface NamedColumn {
  readonly sourceName: string
  readonly name: string
}

/** Gives every column a unique name: `column_3` if the file has none, `name_2` if it repeats one. */
export function columnNames(sourceNames: readonly string[]): readonly NamedColumn[] {
  const plain = sourceNames.map((name) => name.replace(/\s+/g, ' ').trim())
  const names: string[] = []
  plain.forEach((name, index) => {
    // A generated name avoids later names of the file.
    const later = plain.slice(index + 1)
    names.push(name === '' ? otherThan(`column_${index + 1}`, [...names, ...later]) : otherName(name, names, later))
  })
  return sourceNames.map((sourceName, index) => ({ sourceName, name: names[index] ?? `column_${index + 1}` }))
}

const otherName = (name: string, before: readonly string[], later: readonly string[]): string =>
  before.some((one) => one.toLowerCase() === name.toLowerCase()) ? otherThan(name, [...before, ...later]) : name

/** Messages for the review. */
export function namingWarnings(columns: readonly NamedColumn[]): readonly string[] {
  const empty = columns.filter(({ sourceName }) => sourceName.trim() === '').length
  const double = columns.filter(
    ({ sourceName, name }) => sourceName.trim() !== '' && sourceName.replace(/\s+/g, ' ').trim() !== name,
  )
  return [
    ...(empty === 0 ? [] : [`${empty === 1 ? 'One column has' : `${empty} columns have`} no name in the file.`]),
    ...double.map(
      ({ sourceName, name }) => `"${sourceName.trim()}" occurs twice in the file: the second is named "${name}".`,
    ),
  ]
}
