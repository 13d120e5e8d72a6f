// SPDX-License-Identifier: GPL-2.0-only
#include "json.h"

#include <ctype.h>
#include <stdio.h>

void json_string(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else if (iscntrl((unsigned char)*text))
			printf("\\u%04x", (unsigned char)*text);
		else
			putchar(*text);
	}
	putchar('"');
}
