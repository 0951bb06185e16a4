// The file change made by a call of Edit, MultiEdit or Write, read from its input.
import type { JsonObject, ToolItem } from '@quarterdeck/protocol'
import { diffLines, type LineDiff } from '../primitives/line-diff.ts'

export interface FileChange {
  readonly path: string
  readonly kind: 'edit' | 'write'
  readonly diffs: readonly LineDiff[]
  readonly added: number
  readonly removed: number
}

const known = new WeakMap<JsonObject, { readonly output: string | null; readonly change: FileChange | null }>()

/**
 * `null` if the input shows no file change. Cached per input object, which never changes: while text streams, a page
 * needs the same diff many times a second.
 */
export function fileChangeOf(toolName: string, input: JsonObject, output: string | null = null): FileChange | null {
  const before = known.get(input)
  if (before !== undefined && before.output === output) return before.change
  const change = readChange(toolName, input, output)
  known.set(input, { output, change })
  return change
}

function readChange(toolName: string, input: JsonObject, output: string | null): FileChange | null {
  const path = textOf(input.file_path)
  if (path === null) return null
  if (toolName === 'Write') return changeOf(path, 'write', [diffLines('', textOf(input.content) ?? '', 1)])
  if (toolName === 'Edit') return changeOf(path, 'edit', [editDiff(input, output)])
  if (toolName !== 'MultiEdit' || !Array.isArray(input.edits)) return null
  const edits = input.edits.filter((edit): edit is JsonObject => typeof edit === 'object' && edit !== null)
  const diffs = edits.map((edit) => editDiff(edit, output))
  return changeOf(path, 'edit', diffs)
}

/** All files changed by finished calls, in the order of their first change. */
export function changedFiles(calls: readonly ToolItem[]): readonly FileChange[] {
  const byPath = new Map<string, FileChange>()
  for (const call of calls) {
    const change = call.status === 'done' ? fileChangeOf(call.toolName, call.toolInput, call.output) : null
    if (change === null) continue
    const before = byPath.get(change.path)
    const kind = before?.kind ?? change.kind
    byPath.set(change.path, changeOf(change.path, kind, [...(before?.diffs ?? []), ...change.diffs]))
  }
  return [...byPath.values()]
}

function changeOf(path: string, kind: FileChange['kind'], diffs: readonly LineDiff[]): FileChange {
  const sum = (pick: (diff: LineDiff) => number) => diffs.reduce((total, diff) => total + pick(diff), 0)
  return { path, kind, diffs, added: sum((diff) => diff.added), removed: sum((diff) => diff.removed) }
}

function editDiff(input: JsonObject, output: string | null): LineDiff {
  const after = textOf(input.new_string) ?? ''
  return diffLines(textOf(input.old_string) ?? '', after, firstLineIn(output, after))
}

/** If the output has numbered lines, the diff gets real line numbers. */
function firstLineIn(output: string | null, after: string): number | null {
  const first = after.split('\n', 1)[0] ?? ''
  if (output === null || first.trim() === '') return null
  for (const line of output.split('\n')) {
    const match = /^\s*(\d+)(?:→|\t)(.*)$/.exec(line)
    if (match?.[2] === first) return Number(match[1])
  }
  return null
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
