// Runs the steps of the check, reports each, names the skipped tests, and ends with the line `N passed, M failed`.

/**
 * @typedef {{ passed: number, failed: number, skipped?: readonly string[], note?: string, output: string }} StepResult
 * @typedef {object} Step
 * @property {string} key
 * @property {string} title
 * @property {() => Promise<StepResult>} run
 * @property {string} [group] neighbouring steps of one group run at the same time
 */

/**
 * Runs every step even after a failure, so that one run reports everything; only a failed tool install ends it.
 * @param {readonly Step[]} steps
 * @param {(line: string) => void} print
 * @returns {Promise<number>} the exit code
 */
export async function runSteps(steps, print) {
  let passed = 0
  let failed = 0
  /** @type {string[]} */
  const skipped = []
  for (const group of groupsOf(steps)) {
    const results = await Promise.all(group.map(runStep))
    if (results.some((result, index) => result.failed > 0 && group[index]?.key === 'tools')) break
  }
  print('')
  // A skipped test looks like a passed one until it is named.
  for (const test of skipped) print(`skipped: ${test}`)
  print(`${passed} passed, ${failed} failed`)
  return failed === 0 && passed > 0 ? 0 : 1

  /** @param {Step} step */
  async function runStep(step) {
    const startedAt = performance.now()
    const result = await step.run().catch(crashed)
    passed += result.passed
    failed += result.failed
    skipped.push(...(result.skipped ?? []))
    if (result.failed > 0) print(result.output.trimEnd())
    print(narrate(step, result, performance.now() - startedAt))
    return result
  }
}

/**
 * @param {readonly Step[]} steps
 * @returns {readonly (readonly Step[])[]}
 */
function groupsOf(steps) {
  /** @type {Step[][]} */
  const groups = []
  for (const step of steps) {
    const last = groups.at(-1)
    if (last !== undefined && step.group !== undefined && last[0]?.group === step.group) last.push(step)
    else groups.push([step])
  }
  return groups
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
  const skipped = result.skipped?.length ? `${result.skipped.length} skipped` : ''
  const details = [counts, skipped, result.note ?? ''].filter(Boolean).join(', ')
  return `${verdict} ${step.title.padEnd(34)} ${(milliseconds / 1000).toFixed(1).padStart(6)} s  ${details}`.trimEnd()
}
