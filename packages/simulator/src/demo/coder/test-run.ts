// Parses the output of `node --test`, in either of its reporters (TAP in a pipe on Node 20, spec on newer ones).

export interface FailingTest {
  readonly name: string
  readonly file: string | null
}

export interface TestRun {
  readonly total: number
  readonly passed: number
  readonly failed: number
  readonly failing: readonly FailingTest[]
  readonly expected: string | null
  readonly actual: string | null
}

/** Null if the output is not that of a test run. */
export function readTestRun(output: string): TestRun | null {
  const total = counter(output, 'tests')
  const passed = counter(output, 'pass')
  const failed = counter(output, 'fail')
  if (total === null || passed === null || failed === null) return null
  const file = /(?:location: '|test at )([^':\n]+\.(?:[cm]?[jt]sx?)):\d+/.exec(output)?.[1] ?? null
  return {
    total,
    passed,
    failed,
    failing: failingNames(output).map((name) => ({ name, file })),
    expected: value(output, 'expected'),
    actual: value(output, 'actual'),
  }
}

function counter(output: string, name: string): number | null {
  const found = new RegExp(`^(?:#|ℹ) ${name} (\\d+)$`, 'm').exec(output)?.[1]
  return found === undefined ? null : Number(found)
}

function failingNames(output: string): string[] {
  const tap = [...output.matchAll(/^[ \t]*not ok \d+ - (.+)$/gm)].map((match) => match[1] ?? '')
  const spec = [...output.matchAll(/^[ \t]*✖ (.+) \([\d.]+ms\)$/gm)].map((match) => match[1] ?? '')
  return [...new Set([...tap, ...spec])].filter((name) => !/\.(?:[cm]?[jt]sx?)$/.test(name))
}

const value = (output: string, name: string): string | null =>
  new RegExp(`^[ \\t]*${name}: (.+?),?$`, 'm').exec(output)?.[1] ?? null
