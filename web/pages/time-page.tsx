import { Page } from '../parts/page.tsx'
import { PastView } from './past-view.tsx'
import { lastAnswer } from './what-if-page.tsx'

export function TimePage() {
  return (
    <Page
      title="Time"
      aside={lastAnswer.value === undefined ? 'the last hour' : 'the last hour, and the forecast after it'}
    >
      <PastView />
    </Page>
  )
}
