// Runs steps one after the other, narrates each, and ends with the line `N passed, M failed`.

/**
 * @typedef {{ passed: number, failed: number, skipped?: number, note?: string, output: string }} StepResult
 * @typedef {{ key: string, title: string, run: () => Promise<StepResult> }} Step
 */

/**
 * Every step runs even after a failure, so that one run tells everything; only a failed first step (the tools) ends it.
 * @param {readonly Step[]} steps
 * @param {(line: string) => void} print
 * @returns {Promise<number>} the exit code
 */
export async function runGate(steps, print) {
  let passed = 0
  let failed = 0
  for (const step of steps) {
    const startedAt = performance.now()
    const result = await step.run().catch(crashed)
    passed += result.passed
    failed += result.failed
    if (result.failed > 0) print(result.output.trimEnd())
    print(narrate(step, result, performance.now() - startedAt))
    if (result.failed > 0 && step.key === 'tools') break
  }
  print('')
  print(`${passed} passed, ${failed} failed`)
  return failed === 0 && passed > 0 ? 0 : 1
}

/**
 * @param {unknown} error
 * @returns {StepResult}
 */
function crashed(error) {
  return { passed: 0, failed: 1, output: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}

/**
 * @param {Step} step
 * @param {StepResult} result
 * @param {number} milliseconds
 */
function narrate(step, result, milliseconds) {
  const verdict = result.failed > 0 ? 'FAILED' : 'ok    '
  const counts = result.passed + result.failed > 1 ? `${result.passed} passed, ${result.failed} failed` : ''
  const skipped = result.skipped ? `${result.skipped} skipped` : ''
  const details = [counts, skipped, result.note ?? ''].filter(Boolean).join(', ')
  return `${verdict} ${step.title.padEnd(34)} ${(milliseconds / 1000).toFixed(1).padStart(6)} s  ${details}`.trimEnd()
}
