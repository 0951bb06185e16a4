// `a.b[0].c`: a place in an answer that is JSON. The config room has checked that it is written so.

/** Why there is nothing to compare is an Error's message. */
export function readResponsePath(value: unknown, path: string): unknown {
  let current = value
  for (const step of stepsOf(path)) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, step)) {
      throw new Error(`response_path "${path}": the answer has nothing there`)
    }
    current = Reflect.get(current, step)
  }
  return current
}

/** By name and by number. */
const stepsOf = (path: string): readonly (string | number)[] =>
  [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name = '']) =>
    index === undefined ? name : Number(index),
  )
