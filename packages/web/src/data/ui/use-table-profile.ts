import { useCallback } from 'react'
import { type Loaded, useLoaded } from '../../hooks/use-loaded.ts'
import type { DataServices } from '../domain/data-services.ts'
import type { ImportedTable } from '../domain/imported-table.ts'
import type { TableProfile } from '../domain/table-profile.ts'

const known = new WeakMap<DataServices, Map<string, Promise<TableProfile>>>()

/** Calculated once per state of a table, because a profile reads every row. */
export function profileOf(services: DataServices, table: ImportedTable): Promise<TableProfile> {
  const profiles = known.get(services) ?? new Map<string, Promise<TableProfile>>()
  known.set(services, profiles)
  const key = keyOf(table)
  const there = profiles.get(key)
  if (there !== undefined) return there
  const profile = services.profile(table.name)
  profiles.set(key, profile)
  // A failed profile is retried on the next request.
  profile.catch(() => profiles.delete(key))
  return profile
}

export function useTableProfile(
  services: DataServices,
  table: ImportedTable,
): Omit<Loaded<TableProfile>, 'value'> & { readonly profile: TableProfile | null } {
  const key = keyOf(table)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key contains everything that a profile depends on
  const load = useCallback(() => profileOf(services, table), [services, key])
  const { value, ...loaded } = useLoaded(load)
  return { profile: value, ...loaded }
}

const keyOf = ({ name, addedAt, source, columns }: ImportedTable): string =>
  JSON.stringify([name, addedAt, source.fingerprint, columns])
