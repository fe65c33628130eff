import { Query } from '@nestjs/cqrs';
import type { ResponseOf } from '../../../platform/http/route';
import type { getOptions } from '../options.schemas';

export class GetOptions extends Query<ResponseOf<typeof getOptions>> {}
