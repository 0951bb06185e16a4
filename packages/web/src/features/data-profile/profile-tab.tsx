import type { Workspace } from '../../analysis/workspace.ts'

interface ProfileTabProps {
  readonly workspace: Workspace
  /** The one to show; without one, the first. */
  readonly table: string | null
  readonly onTable: (table: string) => void
}

/** What a table is like, column by column, told without a model. */
export function ProfileTab(_props: ProfileTabProps) {
  return null
}
