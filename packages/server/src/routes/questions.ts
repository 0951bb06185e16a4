import { questionRoutes } from '@quarterdeck/protocol'
import { type Mount, mountRoute } from '../routing/mount-route.ts'

export function mountQuestionRoutes(mount: Mount): void {
  mountRoute(mount, questionRoutes.list, ({ sessions, query }) => sessions.listQuestions(query))
  mountRoute(mount, questionRoutes.answer, ({ sessions, params, body, by }) =>
    sessions.answerQuestion(params.questionId, body, by),
  )
}
