// The full text of an approval or a question, both for deciding and for watching.
import { type EventOfType, type QuestionItem, visibleText } from '@quarterdeck/protocol'
import type { Palette } from './palette.ts'
import { toolTitle, wholeCall } from './tool-line.ts'

export function approvalLines(
  { toolName, toolInput, rule, insteadOf }: EventOfType<'ApprovalRequested'>['data'],
  { palette, cwd }: { readonly palette: Palette; readonly cwd: string },
): readonly string[] {
  const color = (line: string) =>
    line.startsWith('- ') ? palette.bad(line) : line.startsWith('+ ') ? palette.good(line) : line
  const before = insteadOf === null ? [] : wholeCall(insteadOf.toolInput, cwd).map((line) => `    ${line}`)
  return [
    palette.warning(`! ${toolTitle(toolName)} needs approval`) + palette.dim(`  ${visibleText(rule)}`),
    ...wholeCall(toolInput, cwd).map((line) => `    ${color(line)}`),
    ...(insteadOf === null ? [] : [palette.warning('  approved before:'), ...before]),
  ]
}

export function questionHead({ server }: EventOfType<'QuestionAsked'>['data'], palette: Palette): string {
  return palette.warning(`? ${server === null ? 'The agent' : `MCP server ${visibleText(server)}`} asks`)
}

/** The message of an MCP server, before the fields of its form. */
export const serverRequestLines = ({ message, url }: EventOfType<'QuestionAsked'>['data']): readonly string[] => [
  ...(message === '' ? [] : [`  ${visibleText(message)}`]),
  ...(url === null ? [] : [`  open this address: ${visibleText(url)}`]),
]

export const itemLines = ({ question, options }: QuestionItem): readonly string[] => [
  `  ${visibleText(question)}`,
  ...options.map(
    ({ label, description }, index) =>
      `    [${index + 1}] ${visibleText(label)}${description === '' || description === label ? '' : `: ${visibleText(description)}`}`,
  ),
]
