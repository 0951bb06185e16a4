/** The promise this product makes, made easy to try. */
export function PullThePlug() {
  return (
    <aside className="hint" aria-label="Try this">
      <b>Now pull the plug.</b>
      <p>
        Kill the server (Ctrl-C, or <code>kill -9</code>) and start it again with the same command. This page finds it
        by itself: this approval is still here, and Allow still works.
      </p>
    </aside>
  )
}
