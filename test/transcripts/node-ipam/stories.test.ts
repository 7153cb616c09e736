import { describeStories } from '../story-file.ts'
import { tell } from './story.ts'

describeStories(import.meta.dirname, tell)
