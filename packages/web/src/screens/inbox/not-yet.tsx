const later = [
  ['Chat', 'talk to a model without an agent file. Until then, use “Write your own” on an agent or the chat command.'],
  ['Tests', 'suites of cases that test your agents.'],
  ['Costs', 'spending per day, and budgets. Each session shows its own costs; the costs command shows all of them.'],
  ['Audit', 'a tamper-evident record of who did what. The audit command can already check and export it.'],
] as const

/** Planned pages are listed here once, instead of links that lead nowhere. */
export function NotYet() {
  return (
    <section aria-labelledby="not-yet">
      <h2 id="not-yet">Not available yet</h2>
      <ul className="later">
        {later.map(([name, description]) => (
          <li key={name}>
            <b>{name}</b>: {description}
          </li>
        ))}
      </ul>
    </section>
  )
}
