import { useCallback } from 'react'
import type { KeptTable } from '../analysis/kept-table.ts'
import type { TableProfile } from '../analysis/profile.ts'
import type { Workspace } from '../analysis/workspace.ts'
import { type Loaded, useLoaded } from './use-loaded.ts'

const known = new WeakMap<Workspace, Map<string, Promise<TableProfile>>>()

/** Worked out once for each state of a table, whoever asks: a profile reads every row. */
export function profileOf(workspace: Workspace, table: KeptTable): Promise<TableProfile> {
  const profiles = known.get(workspace) ?? new Map<string, Promise<TableProfile>>()
  known.set(workspace, profiles)
  const key = keyOf(table)
  const there = profiles.get(key)
  if (there !== undefined) return there
  const profile = workspace.profile(table.name)
  profiles.set(key, profile)
  // Asked again after a failure it is tried again.
  profile.catch(() => profiles.delete(key))
  return profile
}

export function useTableProfile(
  workspace: Workspace,
  table: KeptTable,
): Omit<Loaded<TableProfile>, 'value'> & { readonly profile: TableProfile | null } {
  const key = keyOf(table)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is the table as far as a profile can tell
  const load = useCallback(() => profileOf(workspace, table), [workspace, key])
  const { value, ...loaded } = useLoaded(load)
  return { profile: value, ...loaded }
}

const keyOf = ({ name, addedAt, source, columns }: KeptTable): string =>
  JSON.stringify([name, addedAt, source.fingerprint, columns])
