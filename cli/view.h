/* A page that shows a robot and its motion: hamel view, hamel simulate --view. */
#ifndef CLI_VIEW_H
#define CLI_VIEW_H

#include "hamel/view.h"
#include "robot.h"

/* writes the page to path; what is to be shown beside the robot and its visuals is in page. An exit status */
int view_write(const cli_options *options, const robot *r, hml_page_options *page, const char *path);

#endif
