import { valueAt } from '../problems/value-path.ts'
import { asWritten } from '../schema/describe-issue.ts'
import { type ConfigSource, type ReadSourceOptions, readSource } from '../yaml/config-source.ts'
import { isInsideProject, resolvePath } from '../yaml/project-path.ts'
import { overlay } from './overlay.ts'

const path = ['test_cases_file']

export async function readTestCases(source: ConfigSource, options: ReadSourceOptions) {
  const written = valueAt(source.value, path)
  const nothing = { source, problems: [], files: [] }
  if (typeof written !== 'string' || written.trim() === '') return nothing
  const refuse = (code: 'config.invalid' | 'config.unreadable' | 'config.outside-project', message: string) =>
    source.report({ severity: 'error', code, path, part: 'value', message: `"test_cases_file"${message}` })
  if (valueAt(source.value, ['test_cases']) != null) {
    refuse('config.invalid', ' and "test_cases" cannot both be set: keep all cases in one of them')
    return nothing
  }
  const originFile = source.originFileOf(path)
  const file = await resolvePath(written, originFile.file)
  const isFree = valueAt(source.value, ['allow_outside']) === true
  if (!isFree && !(await isInsideProject(file, originFile.projectFolder))) {
    refuse('config.outside-project', ' leaves the project folder: move it inside, or set allow_outside: true')
    return nothing
  }
  const cases = await readSource(file, options)
  if (cases === null) {
    refuse('config.unreadable', `: cannot use ${asWritten(source, path, written)}: there is no such file`)
    return { ...nothing, files: [file] }
  }
  const at = Array.isArray(cases.value) ? [] : ['test_cases']
  if (!Array.isArray(valueAt(cases.value, at)) && cases.problems.length === 0) {
    const message = 'the file must be a list of test cases, or a map with "test_cases"'
    cases.refuse([], message)
    return { source, problems: cases.problems, files: [file] }
  }
  const whole = overlay(source, [{ path: ['test_cases'], source: cases, at }])
  return { source: whole, problems: cases.problems, files: [file] }
}
