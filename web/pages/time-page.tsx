import { Page } from '../parts/page.tsx'
import { PastView } from './past-view.tsx'

export function TimePage() {
  return (
    <Page title="Time" aside="the last hour">
      <PastView />
    </Page>
  )
}
