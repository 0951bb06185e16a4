// `a.b[0].c`: a place in an answer that is JSON.

/** Steps by name and by number. `null`: it is no such path. */
export function parseResponsePath(path: string): readonly (string | number)[] | null {
  if (!/^(?:[A-Za-z_$][\w$-]*|\[\d+\])(?:\.[A-Za-z_$][\w$-]*|\[\d+\])*$/.test(path)) return null
  return [...path.matchAll(/\[(\d+)\]|([A-Za-z_$][\w$-]*)/g)].map(([, index, name]) =>
    index === undefined ? (name ?? '') : Number(index),
  )
}

/** Why there is nothing to compare is an Error's message: the answer may be to blame, or the path. */
export function valueAt(value: unknown, path: string): unknown {
  const steps = parseResponsePath(path)
  if (steps === null) throw new Error(`response_path "${path}" is no path such as a.b[0].c`)
  let current = value
  for (const step of steps) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, step)) {
      throw new Error(`response_path "${path}": the answer has nothing there`)
    }
    current = Reflect.get(current, step)
  }
  return current
}
