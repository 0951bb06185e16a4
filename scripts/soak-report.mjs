// The result of a soak run, as text and as a verdict.

/**
 * @typedef {object} FileResult
 * @property {string} name
 * @property {number} durationMs
 * @property {{ beforeMiB: number | null, afterMiB: number | null }} memory available on the machine
 * @property {readonly { what: string, facts: Readonly<Record<string, string | number>> }[]} facts
 * @property {boolean} isStopped by Ctrl-C
 * @property {number} passed
 * @property {readonly string[]} skipped
 * @property {readonly { test: string, message: string }[]} broken
 * @property {readonly string[]} unfinished the work that exceeded its time limit
 * @property {readonly { test: string, status: string, durationMs: number }[]} tests
 */

/** @typedef {{ startedAt: string, endedAt: string, verdict: string, files: readonly FileResult[] }} SoakReport */

/** @param {readonly FileResult[]} results */
export function verdictOf(results) {
  const broken = results.flatMap((result) => result.broken).length
  if (broken > 0) return `${broken} ${broken === 1 ? 'promise is' : 'promises are'} broken`
  const unfinished = results.flatMap((result) => result.unfinished).length
  const skipped = results.flatMap((result) => result.skipped)
  const idle = results.filter((result) => triedIn(result) === 0).map(({ name }) => name)
  const gaps = [
    ...(unfinished > 0 ? [`${unfinished} not finished`] : []),
    ...(skipped.length > 0 ? [`${skipped.length} skipped (${skipped.join(', ')})`] : []),
    ...(idle.length > 0 ? [`nothing ran in ${idle.join(', ')}`] : []),
    ...(results.some(({ isStopped }) => isStopped) ? ['it was stopped'] : []),
  ]
  if (idle.length === results.length) return ['no promise was tried', ...gaps].join('; ')
  return gaps.length > 0 ? ['every tested promise held', ...gaps].join('; ') : 'every promise held'
}

/** @param {FileResult} result */
const triedIn = ({ tests }) => tests.filter(({ status }) => status === 'passed' || status === 'failed').length

/** @param {FileResult} result */
export function summaryOf({ passed, broken, skipped, unfinished, durationMs }) {
  const counts = [
    `${passed} held`,
    ...(broken.length > 0 ? [`${broken.length} BROKEN`] : []),
    ...(unfinished.length > 0 ? [`${unfinished.length} not finished`] : []),
    ...(skipped.length > 0 ? [`${skipped.length} skipped`] : []),
  ]
  return `${counts.join(', ')} in ${minutesOf(durationMs)}`
}

/**
 * @param {SoakReport} report
 * @returns {string} Markdown
 */
export function renderReport({ startedAt, endedAt, verdict, files }) {
  const rows = files.map((file) => {
    const { beforeMiB, afterMiB } = file.memory
    return `| ${file.name} | ${summaryOf(file)} | ${beforeMiB ?? '?'} | ${afterMiB ?? '?'} |`
  })
  return [
    '# Soak',
    '',
    `**${verdict}.** From ${startedAt} to ${endedAt}.`,
    '',
    '| file | result | memory available before, MiB | after, MiB |',
    '|---|---|---|---|',
    ...rows,
    '',
    ...files.flatMap(section),
  ].join('\n')
}

/** @param {FileResult} file */
function section({ name, tests, facts, broken, unfinished, skipped }) {
  return [
    `## ${name}`,
    '',
    ...tests.map(({ test, status, durationMs }) => `- ${status}: ${test} (${minutesOf(durationMs)})`),
    ...facts.map((measured) => `- measured: ${measured.what}: ${pairs(measured.facts)}`),
    ...unfinished.map((test) => `- not finished: ${test}`),
    ...skipped.map((test) => `- skipped: ${test}`),
    '',
    ...broken.flatMap(({ test, message }) => [`**Broken: ${test}**`, '', '```', message, '```', '']),
  ]
}

/** @param {Readonly<Record<string, string | number>>} facts */
const pairs = (facts) =>
  Object.entries(facts)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')

/** @param {number} ms */
const minutesOf = (ms) => (ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${(ms / 60_000).toFixed(1)} min`)
