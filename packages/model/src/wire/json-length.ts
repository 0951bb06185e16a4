/**
 * The length of a parsed value as JSON. Without recursion: the sender of a request chooses its depth, and
 * `JSON.stringify` fails at a few thousand levels. `isLeftOut` sees every property.
 */
export function jsonLength(value: unknown, isLeftOut: (key: string, value: unknown) => boolean = () => false): number {
  const open: unknown[] = [value]
  let length = 0
  while (open.length > 0) {
    const one = open.pop()
    if (typeof one !== 'object' || one === null) {
      length += (JSON.stringify(one) ?? 'null').length
      continue
    }
    let items = 0
    if (Array.isArray(one)) {
      for (const item of one) open.push(item)
      items = one.length
    } else {
      for (const [key, item] of Object.entries(one)) {
        if (item === undefined || isLeftOut(key, item)) continue
        length += JSON.stringify(key).length + 1
        open.push(item)
        items += 1
      }
    }
    length += 2 + Math.max(0, items - 1)
  }
  return length
}
