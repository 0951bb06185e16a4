/**
 * `--only unit,lint` selects the named steps and the tools they need. Other arguments are refused, so that a typo never
 * leads to a green run without checks.
 * @param {readonly import('./run-steps.mjs').Step[]} steps
 * @param {readonly string[]} args
 */
export function selectSteps(steps, args) {
  if (args.length === 0) return steps
  const [flag, names, ...surplus] = args
  const keys = [...new Set(steps.map((step) => step.key))]
  const wanted = flag === '--only' && surplus.length === 0 ? (names ?? '').split(',') : []
  if (wanted.length === 0 || !wanted.every((name) => keys.includes(name))) {
    throw new Error(`unknown arguments "${args.join(' ')}". Usage: --only ${keys.join(',')}`)
  }
  return steps.filter((step) => step.key === 'tools' || wanted.includes(step.key))
}
