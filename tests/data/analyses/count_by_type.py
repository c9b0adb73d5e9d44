from collections import Counter
from code_helpers import get_all_content

types = Counter(part["type"] for parts in get_all_content().values() for part in parts)
for kind, count in types.most_common():
    print(kind, count)
