interface OfflineLineProps {
  readonly isReady: boolean
}

/** Said once it is true: all that reads, queries and draws has been loaded. */
export function OfflineLine({ isReady }: OfflineLineProps) {
  return (
    <p className="muted" role="status">
      {isReady &&
        'Files, profiles, SQL, charts and exports now work without a network, too. Questions need the server.'}
    </p>
  )
}
