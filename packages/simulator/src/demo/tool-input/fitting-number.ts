// A number within the bounds of a schema: one from the message if one fits.

type Bounds = Readonly<Record<string, unknown>>

/** Removes it from `said`: each number is used once. */
export function takeFitting(schema: Bounds, mentioned: number[]): number {
  const index = mentioned.findIndex((value) => fits(schema, value))
  if (index !== -1) return mentioned.splice(index, 1)[0] ?? 0
  // "8.5 degrees" are 9 if only whole numbers are allowed.
  const rounded = mentioned.map(Math.round).find((value) => fits(schema, value))
  return rounded ?? plainNumber(schema)
}

export function fits(schema: Bounds, value: number): boolean {
  const { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const isWhole = [type].flat().includes('integer') && ![type].flat().includes('number')
  return (
    !(isWhole && !Number.isInteger(value)) &&
    !(typeof minimum === 'number' && value < minimum) &&
    !(typeof maximum === 'number' && value > maximum) &&
    !(typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) &&
    !(typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) &&
    !(typeof multipleOf === 'number' && !Number.isInteger(value / multipleOf))
  )
}

/** Zero, or the allowed number next to it. */
function plainNumber(schema: Bounds): number {
  const bound = (name: string) => (typeof schema[name] === 'number' ? schema[name] : null)
  const least = bound('minimum') ?? bound('exclusiveMinimum')
  const most = bound('maximum') ?? bound('exclusiveMaximum')
  const step = bound('multipleOf') ?? 1
  const from = Math.ceil((least ?? 0) / step) * step
  const down = Math.floor((most ?? 0) / step) * step
  const middle = ((least ?? 0) + (most ?? 0)) / 2
  return (
    [0, least, most, from, from + step, down, down - step, middle].find((one) => one !== null && fits(schema, one)) ?? 0
  )
}
