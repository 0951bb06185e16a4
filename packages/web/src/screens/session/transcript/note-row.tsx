import { EventRow, type EventRowProps } from './event-row.tsx'

interface NoteRowProps extends Pick<EventRowProps, 'tone' | 'children'> {
  readonly role?: 'status' | 'alert'
}

/** A remark between events. */
export function NoteRow({ tone, role, children }: NoteRowProps) {
  return (
    <EventRow seq={null} tone={tone}>
      <div className="row transcript-note" role={role}>
        {children}
      </div>
    </EventRow>
  )
}
