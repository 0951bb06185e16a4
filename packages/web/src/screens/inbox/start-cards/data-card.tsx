import { Link } from '@tanstack/react-router'
import { Play, Table2 } from 'lucide-react'

const starter = 'Which region had the most late deliveries in September, and why? A sample of two tables.'

/** Opens Data without a file: sample tables, an analysis of them, and a suggested question. */
export function DataCard() {
  return (
    <section className="start" aria-labelledby="ask-your-data">
      <div className="start-head">
        <Table2 className="icon" aria-hidden="true" />
        <div className="grow">
          <h3 id="ask-your-data">Ask questions about your own files</h3>
          <p>CSV, Parquet, Excel and other files are read and queried in this browser. The rows stay here.</p>
        </div>
        <Link className="btn s quiet" to="/data">
          Add your own
        </Link>
      </div>
      <ul>
        <li>
          <span className="grow">{starter}</span>
          <Link className="btn s" to="/data" search={{ sample: 0 }} aria-label={`Start: ${starter}`}>
            <Play className="icon s" aria-hidden="true" />
            Start
          </Link>
        </li>
      </ul>
    </section>
  )
}
