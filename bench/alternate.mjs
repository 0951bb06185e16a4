/**
 * Runs both sides in turns (A B A B …), so that other load on the machine affects both equally.
 * @template Ours, Theirs
 * @param {number} rounds
 * @param {{ ours: (round: number) => Promise<Ours>, theirs: (round: number) => Promise<Theirs> }} sides
 * @returns {Promise<{ ours: Ours[], theirs: Theirs[] }>}
 */
export async function alternate(rounds, sides) {
  /** @type {{ ours: Ours[], theirs: Theirs[] }} */
  const results = { ours: [], theirs: [] }
  for (let round = 0; round < rounds; round += 1) {
    results.ours.push(await sides.ours(round))
    results.theirs.push(await sides.theirs(round))
  }
  return results
}

/**
 * Measures the duration of some work.
 * @param {() => unknown} work
 * @returns {Promise<number>} milliseconds
 */
export async function timed(work) {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
