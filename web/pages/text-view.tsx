// biome-ignore-all lint/a11y/noNoninteractiveTabindex: a wide table scrolls, also with the keyboard
import type { TextAnswer } from '../../src/wire/console-questions.ts'
import { Card } from '../parts/card.tsx'
import { CopyText } from '../parts/copy-text.tsx'

/** The answer to a question that is not one forecast, as the command prints it. */
export function TextView({ answer, onDiscard }: { readonly answer: TextAnswer; readonly onDiscard: () => void }) {
  return (
    <>
      <section class="card" aria-label="Answer">
        <header class="forecast-head">
          <h2>{answer.title}</h2>
          <button type="button" class="button" onClick={onDiscard}>
            Discard
          </button>
        </header>
        <pre class="answer-text" tabIndex={0}>
          {answer.text.trimEnd()}
        </pre>
      </section>
      <Card title="Ask again" aside="on the command line, or in CI">
        <div class="body stack">
          <CopyText label="Command" text={answer.command} />
        </div>
      </Card>
    </>
  )
}
