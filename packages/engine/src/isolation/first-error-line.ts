import { ellipsize } from '@quarterdeck/protocol'

/** The line that explains why a program ended: its first error, else its last line. */
export function firstErrorLine(written: string): string {
  const lines = written.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))
  const line = lines.find((one) => /^(?:\w*error|fatal|panic)\b.*: ?\S/i.test(one)) ?? lines.at(-1) ?? ''
  return ellipsize(line, longest)
}

const longest = 300
