// One line of the report: what was measured, on both sides, and the ratio of the two.

/**
 * @typedef {object} Figure
 * @property {string} name
 * @property {string} unit
 * @property {number | null} ours `null` if it could not be measured: `note` has the reason
 * @property {number | null} theirs `null` if nothing comparable exists
 * @property {string} against the name of the other side
 * @property {'lower' | 'higher'} better which direction is good
 * @property {string} [note]
 * @property {string} [goal] the goal in words
 */

/**
 * @typedef {object} Plan
 * @property {boolean} isQuick fewer rounds
 * @property {boolean} isLong includes measurements that take many minutes
 */

/**
 * @typedef {object} Measurement
 * @property {string} title
 * @property {(plan: Plan) => Promise<readonly Figure[]>} measure
 */

/**
 * A figure that could not be measured, with the reason.
 * @param {string} name
 * @param {string} reason
 * @param {string} [goal]
 * @returns {Figure}
 */
export const missing = (name, reason, goal) => ({
  name,
  unit: '',
  ours: null,
  theirs: null,
  against: '',
  better: 'lower',
  note: reason,
  ...(goal === undefined ? {} : { goal }),
})

/**
 * `null` if there is no baseline.
 * @param {Figure} figure
 */
export const ratioOf = ({ ours, theirs }) => (ours === null || theirs === null || theirs === 0 ? null : ours / theirs)

/** @param {Figure} figure */
export function lineOf(figure) {
  const { name, unit, ours, theirs, against, note, goal } = figure
  const ratio = ratioOf(figure)
  return [
    `  ${name.padEnd(56)} ${ours === null ? ' missing' : `${short(ours).padStart(8)} ${unit}`}`,
    ...(theirs === null ? [] : [`| ${short(theirs)} ${unit} ${against}`]),
    ...(ratio === null ? [] : [`| ${ratio.toFixed(2)} ×`]),
    ...(goal === undefined ? [] : [`(goal ${goal})`]),
    ...(note === undefined ? [] : [`[${note}]`]),
  ].join(' ')
}

/** @param {number} value */
function short(value) {
  const size = Math.abs(value)
  if (size >= 1000) return Math.round(value).toLocaleString('en-US')
  return size >= 100 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : value.toFixed(2)
}
